"""An InferenceService of a model and the platform's runtime: what reaches the server, and what is the runtime's."""

import pytest

from gpuspec.plan.facets import ContainerPlan
from gpuspec.targets._kserve_model import ADDED, CONTAINER, OF_RUNTIME
from tests.targets.conftest import SERVING, Run, Values

KEPT = {"name": "kserve-vllm", "modelFormat": "vLLM"}
HERE: Values = {
    "installed": {"kserve": "0.20"},
    "targets": {"service": "kserve"},
    "runtimes": {"serving": {"vllm": KEPT, "custom": KEPT}},
}


def predictor(run: Run, spec: Values, **more: object) -> Values:
    made = run.objects("Inference", SERVING | spec, **HERE | more)
    (own,) = (one for one in made if one["kind"] == "InferenceService")
    return dict(own["spec"]["predictor"])


def model(source: Values, **more: object) -> Values:
    return {"model": {"id": "org/model", "size": "16Gi", "source": source, **more}}


def test_every_field_of_a_container_has_an_answer() -> None:
    assert CONTAINER.keys() == {*ContainerPlan.__struct_fields__}
    assert {*CONTAINER.values()} == {ADDED, OF_RUNTIME}


def test_the_runtime_starts_the_server_and_the_workload_says_how(run: Run) -> None:
    """Arguments of size are added; command, model, its name and the port stay the runtime's."""
    spec = {
        "gpu": {"count": 2},
        "context": 8192,
        "args": ["--enable-prefix-caching"],
        "env": {"OWN": "1"},
    }
    found = predictor(run, spec)
    own = found["model"]
    assert own["modelFormat"] == {"name": "vLLM"}
    assert own["runtime"] == "kserve-vllm"
    assert own["args"][:4] == ["--max-model-len", "8192", "--tensor-parallel-size", "2"]
    assert own["args"][-1] == "--enable-prefix-caching"
    assert not {"--model", "--port", "--served-model-name", "org/model"} & {*own["args"]}
    assert not {"command", "name"} & own.keys()
    assert own["image"] == SERVING["image"]
    assert own["ports"] == [{"name": "http", "containerPort": 8080}]
    assert own["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert {"name": "OWN", "value": "1"} in own["env"]
    assert own["startupProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    assert own["lifecycle"]["preStop"]
    # Fields of the pod stand beside the model, and no container does.
    assert "containers" not in found
    assert found["securityContext"]["runAsNonRoot"] is True
    assert found["terminationGracePeriodSeconds"]
    assert "model" not in {one["name"] for one in found["volumes"]}


@pytest.mark.parametrize(
    ("asked", "uri"),
    [
        (model({"pvc": "weights"}), "pvc://weights"),
        (model({"pvc": "weights", "path": "qwen/8b"}), "pvc://weights/qwen/8b"),
        (model({"hub": {}}), "hf://org/model"),
        (model({"hub": {}}, revision="5f0b02c7"), "hf://org/model:5f0b02c7"),
        (
            model({"image": "ghcr.io/example/weights:1", "path": "models"}),
            "oci+native://ghcr.io/example/weights:1",
        ),
    ],
)
def test_kserve_is_told_where_the_weights_are(run: Run, asked: Values, uri: str) -> None:
    assert predictor(run, asked)["model"]["storageUri"] == uri


REFUSED: dict[str, tuple[Values, str]] = {
    "command": ({"command": ["vllm", "serve"]}, "kserve-vllm of the profile starts the server"),
    "port": ({"expose": {"containerPort": 9000}}, "which listens on 8080"),
    "ports": ({"expose": {"ports": {"events": 5557}}}, "opens only port 8080"),
    "no model": (
        {
            **{"runtime": "custom", "model": None, "expose": {"port": 8080}},
            "probes": {"readiness": {"path": "/ready"}},
        },
        "serves a model, but the spec has none",
    ),
    "host path": (
        model({"hostPath": "/models"}) | {"waivers": {"hostPath": "on each node"}},
        "not from folders of nodes",
    ),
    "mount": (model({"pvc": "weights", "mount": "/weights"}), "where the runtime looks for it"),
    "image": (model({"image": "ghcr.io/example/weights:1"}), "from the folder `models`"),
    "cache": (model({"hub": {"cache": "hub"}}), "and cannot use `cache`"),
    "token": (model({"hub": {"tokenSecret": "hf"}}), "Secrets of the pod's ServiceAccount"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_runtime_has_of_its_own_is_refused(run: Run, what: str) -> None:
    spec, words = REFUSED[what]
    asked = {key: value for key, value in (SERVING | spec).items() if value is not None}
    assert words in run.refused("Inference", asked, **HERE)


def test_another_server_is_a_container_of_its_own(run: Run) -> None:
    """The profile has a runtime for vLLM alone; and other targets start the server themselves."""
    sglang = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.17"}
    assert "model" not in predictor(run, sglang)
    made = run.objects("Inference", SERVING, **HERE | {"targets": {"service": "deployment"}})
    (own,) = (one for one in made if one["kind"] == "Deployment")
    assert "--served-model-name" in own["spec"]["template"]["spec"]["containers"][0]["args"]


def test_whose_server_it_is_is_said(run: Run) -> None:
    _, _, said = run("render", "Inference", SERVING, profile=HERE)
    assert "ClusterServingRuntime kserve-vllm starts the server with its own command" in said
    # Of either kind, by what the object says.
    assert "must exist:" in said
    assert "ServingRuntime or ClusterServingRuntime kserve-vllm" in said
    _, _, said = run("render", "Inference", SERVING, profile=HERE | {"runtimes": {}})
    assert "kserve-vllm" not in said


def test_the_service_leads_to_the_runtimes_port(run: Run) -> None:
    made = run.objects("Inference", SERVING, **HERE)
    (service,) = (one for one in made if one["kind"] == "Service")
    assert service["spec"]["ports"] == [{"name": "http", "port": 8000, "targetPort": "http"}]
