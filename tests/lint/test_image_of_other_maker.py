"""GPU425: beyond what its page shows."""

import pytest

from tests.lint.pages import raised
from tests.lint.plain import POD

CODE = "GPU425"


def pod(image: str, resource: str) -> str:
    """A pod with that image and one device of that resource."""
    lines = [
        line.partition("image:")[0] + f"image: {image}" if "image:" in line else line
        for line in POD.splitlines()
    ]
    return "\n".join(lines).replace("nvidia.com/gpu", resource)


def said(image: str, resource: str) -> list[str]:
    """What the rule says of such a pod."""
    return [one.found.message for one in raised(pod(image, resource)) if one.rule.code == CODE]


@pytest.mark.parametrize(
    ("image", "resource"),
    [
        ("vllm/vllm-openai:v0.33.0", "amd.com/gpu"),
        ("vllm/vllm-openai:v0.33.0", "habana.ai/gaudi"),
        ("rocm/pytorch:latest", "nvidia.com/gpu"),
        ("mirror.example.com/hub/rocm/pytorch:latest", "nvidia.com/mig-1g.10gb"),
        ("lmsysorg/sglang:v0.5.5-rocm700-mi30x", "nvidia.com/gpu"),
        ("vault.habana.ai/gaudi-docker/1.24.0/ubuntu22.04/habanalabs/vllm-installer-2.10.0:1", "gpu.intel.com/xe"),
    ],
)  # fmt: skip
def test_anothers_image_is_said(image: str, resource: str) -> None:
    (message,) = said(image, resource)
    assert f"`{image}`" in message and f"`{resource}`" in message


@pytest.mark.parametrize(
    ("image", "resource"),
    [
        ("vllm/vllm-openai:v0.33.0", "nvidia.com/gpu"),
        ("vllm/vllm-openai-rocm:v0.33.0", "amd.com/gpu"),
        ("vllm/vllm-openai-rocm:v0.33.0", "amd.com/cpx_nps4"),
        ("ghcr.io/example/vllm-openai:1", "amd.com/gpu"),
        ("ollama/ollama:0.13.0", "amd.com/gpu"),
        ("intel/vllm:0.10.2-xpu", "gpu.intel.com/i915"),
    ],
)
def test_its_own_is_not(image: str, resource: str) -> None:
    assert said(image, resource) == []
