"""Presets of the model servers: ports, arguments, variables."""

import re
from typing import Any

import pytest

from gpuspec import runtimes
from tests.plan.conftest import ALONE, Made, Make, image_of

VERSIONED = {
    "vllm": "vllm/vllm-openai:v0.33.0",
    "sglang": "lmsysorg/sglang:v0.5.23",
    "tgi": "ghcr.io/huggingface/text-generation-inference:3.0.1",
    "triton": "nvcr.io/nvidia/tritonserver:26.07-py3",
    "nim": "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.4",
}
MODEL = {"id": "org/m", "revision": "abc", "size": "16Gi", "source": {"pvc": "w", "path": "m"}}
HUB = {"id": "org/m", "revision": "abc", "size": "16Gi", "source": {"hub": {"tokenSecret": "hub"}}}


def serve(make: Make, runtime: str, **spec: Any) -> Made:
    weights = runtimes.get(runtime).weights
    path = f"m{weights.file}" if weights and weights.file else "m"
    model = {**MODEL, "source": {"pvc": "w", "path": path}}
    spec = {"image": VERSIONED.get(runtime) or image_of(runtime), "model": model, **spec}
    return make("Inference", runtime=runtime, **spec)


@pytest.mark.parametrize("runtime", ALONE)
def test_every_runtime_is_served_by_port_names(make: Make, runtime: str) -> None:
    """C-49, C-59: the Service finds the container's port by name, and its selector matches."""
    made = serve(make, runtime)
    ports = {port["name"]: port["containerPort"] for port in made.main["ports"]}
    service = made.one("Service")["spec"]
    assert all(port["targetPort"] in ports for port in service["ports"])
    assert min(ports.values()) >= 1024
    assert service["selector"].items() <= made.template["metadata"]["labels"].items()


@pytest.mark.parametrize("runtime", ALONE)
def test_every_server_is_told_its_port(make: Make, runtime: str) -> None:
    """C-49: what image and variables say of it cannot move it away from the probes."""
    made = serve(make, runtime)
    told = [*made.main.get("args", []), *map(str, made.env.values())]
    for port in made.main["ports"]:
        assert any(re.search(rf"\b{port['containerPort']}$", word) for word in told), port


def test_a_program_of_the_specs_own_is_not_told_a_port_that_it_may_not_know(make: Make) -> None:
    own = ["python", "serve.py"]
    assert "--port" not in serve(make, "vllm", command=own).main["args"]
    moved = serve(make, "vllm", command=own, expose={"containerPort": 9000}).main["args"]
    assert moved[moved.index("--port") + 1] == "9000"


def test_vllm_serves_mounted_weights_under_the_models_name(make: Make) -> None:
    made = serve(make, "vllm", gpu={"count": 4})
    assert made.main["command"] == ["vllm", "serve"]
    assert made.main["args"] == [
        "/models/m",
        "--served-model-name", "org/m",
        "--tensor-parallel-size", "4",
        "--port", "8000",
        "--shutdown-timeout", "120",
    ]  # fmt: skip
    assert made.env["HF_HUB_OFFLINE"] == "1"
    assert "HF_TOKEN" not in made.env


def test_vllm_downloads_exactly_the_revision(make: Make) -> None:
    """C-44: the artifact's version is part of the command."""
    made = serve(make, "vllm", model=HUB)
    assert made.main["args"][:3] == ["org/m", "--revision", "abc"]
    assert made.env["HF_TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert "HF_HUB_OFFLINE" not in made.env


def test_servers_with_a_start_deadline_of_their_own_wait_as_long_as_the_probe(make: Make) -> None:
    for runtime, variable in (
        ("vllm", "VLLM_ENGINE_READY_TIMEOUT_S"),
        ("sglang", "SGLANG_WARMUP_TIMEOUT"),
    ):
        made = serve(make, runtime, startup={"budget": "40m"})
        assert made.env[variable] == "2400"
        probe = made.main["startupProbe"]
        assert probe["periodSeconds"] * probe["failureThreshold"] == 2400


def test_sglang_listens_where_probes_reach_it(make: Make) -> None:
    made = serve(make, "sglang", gpu={"count": 2})
    assert made.main["command"] == ["python3", "-m", "sglang.launch_server"]
    args = made.main["args"]
    assert args[args.index("--host") + 1] == "0.0.0.0"
    assert args[args.index("--tp-size") + 1] == "2"
    assert "--enable-metrics" in args


def test_tgis_privileged_port_is_moved_and_its_service_keeps_it(make: Make) -> None:
    """A port below 1024 is moved where the image allows it."""
    made = serve(make, "tgi", gpu={"count": 2})
    args = made.main["args"]
    assert args[args.index("--port") + 1] == "8080"
    assert args[args.index("--num-shard") + 1] == "2"
    assert made.main["ports"] == [{"name": "http", "containerPort": 8080}]
    assert made.one("Service")["spec"]["ports"] == [
        {"name": "http", "port": 80, "targetPort": "http"}
    ]


def test_triton_starts_behind_its_entrypoint(make: Make) -> None:
    made = serve(make, "triton")
    assert "command" not in made.main
    assert made.main["args"][:2] == ["tritonserver", "--model-repository=/models/m"]
    assert [port["name"] for port in made.main["ports"]] == ["http", "grpc", "metrics"]


def test_nim_with_local_weights_has_no_key_at_all(make: Make) -> None:
    """With one it tries to sign in."""
    made = serve(make, "nim")
    assert made.env["NIM_MODEL_PATH"] == "/models/m"
    assert not {"NGC_API_KEY", "HF_TOKEN"} & made.env.keys()


def test_nim_with_a_model_of_its_own_is_told_none(make: Make) -> None:
    made = serve(make, "nim", model=HUB)
    assert "NIM_MODEL_PATH" not in made.env
    assert made.env["NGC_API_KEY"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert "decides which model it serves" in made.notes()


def test_the_nim_without_a_model_is_told_the_hubs(make: Make) -> None:
    made = serve(make, "nim", image="nvcr.io/nim/nvidia/model-free-nim:2.0.13", model=HUB)
    assert made.env["NIM_MODEL_PATH"] == "hf://org/m:abc"
    assert made.env["HF_TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert "NGC_API_KEY" not in made.env


def test_pipeline_parallelism_divides_the_gpus(make: Make) -> None:
    made = serve(make, "vllm", gpu={"count": 8}, parallelism={"pipeline": 2})
    args = made.main["args"]
    assert args[args.index("--tensor-parallel-size") + 1] == "4"
    assert args[args.index("--pipeline-parallel-size") + 1] == "2"


@pytest.mark.parametrize("flag", ["--served-model-name=x", "--served_model_name"])
def test_an_argument_of_the_spec_takes_the_place_of_ours(make: Make, flag: str) -> None:
    args = serve(make, "vllm", args=[flag]).main["args"]
    assert "org/m" not in args and args[-1] == flag


def test_a_custom_server_runs_as_it_is(make: Make) -> None:
    made = make(
        "Inference",
        runtime="custom",
        image="ghcr.io/example/own:1",
        command=["serve"],
        args=["--fast"],
        model=MODEL,
        expose={"port": 80, "containerPort": 8080},
        probes={"readiness": {"path": "/ready"}},
    )
    assert (made.main["command"], made.main["args"]) == (["serve"], ["--fast"])
    assert made.main["ports"] == [{"name": "http", "containerPort": 8080}]
    assert made.one("Service")["spec"]["ports"][0]["port"] == 80
    assert made.mounts["/models"]["name"] == "model"


def test_prompts_stay_out_of_the_log_of_old_servers_too(make: Make) -> None:
    """C-48: newer vLLM logs none by itself, and would refuse the argument."""
    old = serve(make, "vllm", image="vllm/vllm-openai:v0.10.0")
    assert "--disable-log-requests" in old.main["args"]
    assert "--disable-log-requests" not in serve(make, "vllm").main["args"]
    assert serve(make, "nim").env["NIM_DISABLE_LOG_REQUESTS"] == "1"
