"""Whose devices an image is built for."""

import pytest

from gpuspec.hardware import built_for, vendors


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
