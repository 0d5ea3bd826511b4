"""GPU883: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  volumes: [{name: weights, persistentVolumeClaim: {claimName: weights}}]
  containers:
    - name: main
      image: IMAGE
      args: [ARGS]
      volumeMounts: [{name: weights, mountPath: MOUNT}]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
VLLM = "vllm/vllm-openai:v0.11.0"
LLAMA = "ghcr.io/ggml-org/llama.cpp:server-cuda-b7500"


def said(image: str, args: str, mount: str = "/data", pod: str = POD) -> list[str]:
    text = pod.replace("IMAGE", image).replace("ARGS", args).replace("MOUNT", mount)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU883"]


@pytest.mark.parametrize(
    ("image", "args"),
    [
        (VLLM, "--model, /models/qwen3-8b"),
        (VLLM, "--model=/models/qwen3-8b"),
        (LLAMA, "-m, /models/q.gguf"),
        ("lmsysorg/sglang:v0.5.4", "python3, -m, sglang.launch_server, --model-path, /models/m"),
        ("ghcr.io/huggingface/text-embeddings-inference:1.9.3", "--model-id, /models/m"),
    ],
)
def test_a_path_off_every_volume(image: str, args: str) -> None:
    [message] = said(image, args)
    assert message.startswith("no volume is mounted at `/models/")


@pytest.mark.parametrize(
    ("image", "args", "mount"),
    [
        (VLLM, "--model, /data/qwen3-8b", "/data"),
        (VLLM, "--model, /data", "/data/weights"),
        (VLLM, "--model, Qwen/Qwen3-8B", "/data"),
        (VLLM, "--model, $(MODEL)", "/data"),
        (LLAMA, "-m, /models/q.gguf, --model-url, 'https://example.com/q.gguf'", "/data"),
        ("registry.example.com/vllm:v1", "vllm, serve, /models/m", "/data"),
    ],
)
def test_silent_where_it_is_there_or_may_be(image: str, args: str, mount: str) -> None:
    assert said(image, args, mount) == []


def test_silent_for_a_script() -> None:
    script = POD.replace(
        "      args: [ARGS]", "      command: [sh, -c, 'fetch && vllm serve /models/m']"
    )
    assert said(VLLM, "", pod=script) == []


def test_silent_for_pods_that_an_operator_completes() -> None:
    served = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat, namespace: ml}
spec:
  predictor:
    containers:
      - name: kserve-container
        image: vllm/vllm-openai:v0.11.0
        args: [--model, /mnt/models]
        resources: {limits: {nvidia.com/gpu: 1}}
"""
    assert said("", "", pod=served) == []
