"""Whose devices an image is built for."""

import pytest

from gpuspec.hardware import built_for, instead_of_cpu_build, vendors


@pytest.mark.parametrize(
    ("image", "vendor"),
    [
        ("vllm/vllm-openai:v0.33.0", "nvidia"),
        ("mirror.example.com:5000/hub/vllm/vllm-openai-rocm@sha256:0123", "amd"),
        ("docker.io/rocm/pytorch:rocm7.0_ubuntu24.04_py3.12_pytorch_release_2.8.0", "amd"),
        ("lmsysorg/sglang:v0.5.5", "nvidia"),
        ("lmsysorg/sglang:v0.5.5-rocm700-mi30x", "amd"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.5", "nvidia"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.5-rocm", "amd"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.5-gaudi", "gaudi"),
        ("ghcr.io/huggingface/text-generation-inference:3.3.5-intel-xpu", "intel"),
        ("vault.habana.ai/gaudi-docker/1.24.0/ubuntu22.04/habanalabs/pytorch-installer-2.10.0:latest", "gaudi"),
        ("intel/vllm:0.10.2-xpu", "intel"),
        ("lmsysorg/sglang:latest", None),
        ("ollama/ollama:0.13.0", None),
        ("ollama/ollama:0.12.10", "nvidia"),
        ("ollama/ollama:0.12.10-rocm", "amd"),
        ("ollama/ollama:0.12.11", None),
        ("ghcr.io/immich-app/immich-machine-learning:v2.2.0-openvino", "intel"),
        ("ghcr.io/immich-app/immich-machine-learning:v2.2.0", None),
        ("quay.io/go-skynet/local-ai:v3.5.0-gpu-hipblas", "amd"),
        ("ghcr.io/blakeblackshear/frigate:0.16.2-tensorrt", "nvidia"),
        ("ghcr.io/blakeblackshear/frigate:0.16.2", None),
        ("ghcr.io/example/rocm:1", None),
        ("vllm-openai", None),
        ("", None),
        (":", None),
    ],
)  # fmt: skip
def test_by_repository_and_tag(image: str, vendor: str | None) -> None:
    assert built_for(image) == vendor


def test_makers_are_those_of_the_table() -> None:
    assert {"nvidia", "amd", "intel", "gaudi"} <= {maker.name for maker in vendors()}


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/immich-app/immich-machine-learning:v2.2.0",
        "docker.io/localai/localai:latest",
        "lscr.io/linuxserver/faster-whisper:2.4.0",
        "ghcr.io/ggml-org/whisper.cpp:main",
        "qdrant/qdrant:v1.15.5@sha256:0123",
        "tensorflow/tensorflow:2.15.0-jupyter",
        "quay.io/jupyter/pytorch-notebook:2025-10-20",
    ],
)
def test_builds_for_the_cpu(image: str) -> None:
    assert instead_of_cpu_build(image)


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/immich-app/immich-machine-learning:v2.2.0-cuda",
        "ghcr.io/immich-app/immich-machine-learning@sha256:0123",
        "quay.io/go-skynet/local-ai:latest-gpu-vulkan",
        "ghcr.io/ggml-org/whisper.cpp:main-vulkan",
        "ghcr.io/open-webui/open-webui:ollama",
        "tensorflow/tensorflow:2.15.0-gpu-jupyter",
        "quay.io/jupyter/pytorch-notebook:cuda12-2025-10-20",
        "qdrant/qdrant",
    ],
)
def test_builds_for_gpus_and_unknown_ones(image: str) -> None:
    assert instead_of_cpu_build(image) is None
