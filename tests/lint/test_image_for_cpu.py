"""GPU849: the images of the table, and the builds of theirs that use a GPU."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: work, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      resources: {limits: {nvidia.com/gpu: 1}}
"""


def said(image: str) -> list[str]:
    found = raised(POD.replace("IMAGE", image))
    return [one.found.message for one in found if one.rule.code == "GPU849"]


@pytest.mark.parametrize(
    "image",
    [
        "public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.11.0",
        "onerahmet/openai-whisper-asr-webservice:v1.9.1",
        "rhasspy/wyoming-whisper:2.4.0",
        "lscr.io/linuxserver/faster-whisper:latest",
        "ghcr.io/speaches-ai/speaches:0.8.3-cpu",
        "localai/localai:v3.7.0",
        "ghcr.io/immich-app/immich-machine-learning:v2.1.0",
        "ghcr.io/ggml-org/whisper.cpp:main",
        "ghcr.io/leejet/stable-diffusion.cpp:master",
        "ghcr.io/mostlygeek/llama-swap:cpu",
    ],
)
def test_builds_for_the_cpu(image: str) -> None:
    [message] = said(image)
    assert message.startswith(f"`{image}` is a CPU-only build")


@pytest.mark.parametrize(
    "image",
    [
        "onerahmet/openai-whisper-asr-webservice:v1.9.1-gpu",
        "lscr.io/linuxserver/faster-whisper:gpu",
        "ghcr.io/speaches-ai/speaches:0.8.3-cuda",
        "localai/localai:v3.7.0-gpu-nvidia-cuda-12",
        "localai/localai:latest-gpu-hipblas",
        "ghcr.io/immich-app/immich-machine-learning:v2.1.0-cuda",
        "ghcr.io/ggml-org/whisper.cpp:main-cuda",
        "ghcr.io/leejet/stable-diffusion.cpp:master-cuda",
        "ghcr.io/mostlygeek/llama-swap:cuda",
    ],
)
def test_builds_for_gpus(image: str) -> None:
    assert said(image) == []
