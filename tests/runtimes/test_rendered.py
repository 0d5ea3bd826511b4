"""What is rendered of the servers that are not made by vLLM's pattern."""

from pathlib import Path
from typing import Any

import gpuspec

IMAGES = {
    "llamacpp": "ghcr.io/ggml-org/llama.cpp:server-cuda-b6500",
    "ollama": "ollama/ollama:0.33.0",
    "lmdeploy": "openmmlab/lmdeploy:v0.16.0",
    "tei": "ghcr.io/huggingface/text-embeddings-inference:1.9",
    "infinity": "michaelf34/infinity:0.0.77",
    "trtllm": "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
}
SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {{name: chat}}
spec:
  runtime: {runtime}
  image: {image}
  model: {{id: org/m, size: 16Gi, source: {source}}}
  gpu: {{models: [A100-80GB], count: {gpus}}}
{more}"""


class Rendered:
    """The objects of one spec, and its serving container."""

    def __init__(self, objects: dict[str, dict[str, Any]]) -> None:
        self.objects = objects
        self.pod = objects["Deployment"]["spec"]["template"]["spec"]
        (self.main,) = self.pod["containers"]
        self.env = {entry["name"]: entry.get("value") for entry in self.main["env"]}

    def option(self, name: str) -> str:
        words: list[str] = self.main["args"]
        return words[words.index(name) + 1]


def rendered(
    folder: Path, runtime: str, source: str = "{hub: {}}", gpus: int = 1, more: str = ""
) -> Rendered:
    text = SPEC.format(runtime=runtime, image=IMAGES[runtime], source=source, gpus=gpus, more=more)
    (folder / "chat.yaml").write_text(text)
    (workload,) = gpuspec.load(str(folder / "chat.yaml"))
    return Rendered({one["kind"]: one for one in gpuspec.render(workload).objects})


def test_llamacpp_is_told_its_port_since_the_default_differs_between_builds(tmp_path: Path) -> None:
    made = rendered(tmp_path, "llamacpp")
    assert "command" not in made.main
    assert made.option("--hf-repo") == "org/m"
    assert (made.option("--host"), made.option("--port")) == ("0.0.0.0", "8080")
    assert "--metrics" in made.main["args"]
    assert made.objects["Service"]["spec"]["ports"][0]["port"] == 8080


def test_llamacpp_puts_all_layers_on_the_gpu_unless_the_spec_says_how_many(tmp_path: Path) -> None:
    assert rendered(tmp_path, "llamacpp").option("--n-gpu-layers") == "999"
    own = rendered(tmp_path, "llamacpp", more='  args: [-ngl, "20"]\n')
    assert "--n-gpu-layers" not in own.main["args"]
    assert own.option("-ngl") == "20"


def test_llamacpp_serves_one_mounted_file(tmp_path: Path) -> None:
    made = rendered(tmp_path, "llamacpp", "{pvc: w, path: m/m-Q4_K_M.gguf}")
    assert made.option("--model") == "/models/m/m-Q4_K_M.gguf"
    assert made.option("--alias") == "org/m"
    assert made.env["LLAMA_ARG_OFFLINE"] == "1"


def test_llamacpp_drives_two_gpus_from_one_process(tmp_path: Path) -> None:
    made = rendered(tmp_path, "llamacpp", gpus=2)
    assert made.main["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert "shm" not in {volume["name"] for volume in made.pod["volumes"]}


def test_a_server_without_python_is_not_given_the_caches_of_python(tmp_path: Path) -> None:
    names = set(rendered(tmp_path, "llamacpp").env)
    assert {"HOME", "CUDA_CACHE_PATH", "LLAMA_CACHE"} <= names
    assert not {"TORCH_HOME", "HF_HOME", "TRITON_CACHE_DIR"} & names
    assert {"TORCH_HOME", "HF_HOME"} <= set(rendered(tmp_path, "infinity").env)


def test_ollama_serves_a_mounted_store_on_every_address(tmp_path: Path) -> None:
    made = rendered(tmp_path, "ollama", "{pvc: w}", more="  expose: {containerPort: 8080}\n")
    assert made.main["command"] == ["ollama", "serve"]
    assert made.env["OLLAMA_HOST"] == "0.0.0.0:8080"
    assert made.env["OLLAMA_MODELS"] == "/models"
    assert made.env["OLLAMA_NOPRUNE"] == "1"
    assert made.main["ports"] == [{"name": "http", "containerPort": 8080}]
    # It closes every connection on SIGTERM: the pause has to outlast the longest request.
    assert made.main["lifecycle"]["preStop"]["sleep"]["seconds"] > 100


def test_lmdeploy_is_told_its_gpus(tmp_path: Path) -> None:
    made = rendered(tmp_path, "lmdeploy", gpus=2)
    assert made.main["command"] == ["lmdeploy", "serve", "api_server"]
    assert made.main["args"] == ["org/m", "--tp", "2", "--server-port", "23333"]
    assert made.main["ports"] == [{"name": "http", "containerPort": 23333}]


def test_tei_moves_from_the_privileged_port_and_the_folder_of_its_image(tmp_path: Path) -> None:
    made = rendered(tmp_path, "tei", "{hub: {cache: w}}")
    assert made.option("--port") == "8080"
    assert made.objects["Service"]["spec"]["ports"][0] == {
        "name": "http", "port": 80, "targetPort": "http",
    }  # fmt: skip
    assert made.env["HUGGINGFACE_HUB_CACHE"] == "/model-cache"
    assert "HF_HOME" not in made.env


def test_infinity_is_started_by_its_command(tmp_path: Path) -> None:
    made = rendered(tmp_path, "infinity")
    assert made.main["command"] == ["infinity_emb", "v2"]
    assert made.main["args"] == ["--model-id", "org/m", "--port", "7997"]
    # It would run code that comes with a model, which no other server does untold.
    assert made.env["INFINITY_TRUST_REMOTE_CODE"] == "false"


def test_tensorrt_llm_is_told_to_listen_where_probes_reach_it(tmp_path: Path) -> None:
    made = rendered(tmp_path, "trtllm", gpus=2)
    assert made.main["command"] == ["trtllm-serve"]
    assert made.option("--host") == "0.0.0.0"
    assert made.option("--tp_size") == "2"
    assert made.main["securityContext"]["readOnlyRootFilesystem"] is False
