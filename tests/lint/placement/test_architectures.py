"""C-65: CPU architectures of images and of nodes."""

import pytest

from tests.lint.placement.pods import findings, pod

ARM = "nodeSelector: {kubernetes.io/arch: arm64}"


def test_architectures() -> None:
    """C-65"""
    selected = pod("nodeSelector: {kubernetes.io/arch: ARCH, nvidia.com/gpu.product: NVIDIA-GB200}")
    assert findings(selected.replace("ARCH", "amd64"), "GPU209")
    assert not findings(selected.replace("ARCH", "arm64"), "GPU209")
    named = pod().replace("a/b:1", "a/b:1-arm64")
    assert findings(named, "GPU209", profile="h100")
    assert not findings(named, "GPU209")
    assert not findings(named.replace("arm64", "amd64"), "GPU209", profile="h100")
    [either] = findings(named, "GPU209", profile="two-architectures")
    assert either.severity == "warning"
    [unsaid] = findings(pod(), "GPU209", profile="two-architectures")
    assert unsaid.severity == "info"


@pytest.mark.parametrize(
    ("where", "image", "said"),
    [
        (ARM, "rayproject/ray:2.41.0-py311-cu124", 1),
        (
            "nodeSelector: {beta.kubernetes.io/arch: arm64}",
            "mirror.example.com/rayproject/ray:2.9.0",
            1,
        ),
        (
            "nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}",
            "rayproject/ray:2.41.0-py311-cu124",
            1,
        ),
        (ARM, "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", 1),
        (ARM, "a/b:1-amd64", 1),
        (ARM, "rayproject/ray:2.41.0-py311-cu124-aarch64", 0),
        # A digest may be that of the other build.
        (ARM, "rayproject/ray@sha256:" + "a" * 64, 0),
        (ARM, "rayproject/kuberay:v1.4.0", 0),
        (ARM, "nvidia/cuda:13.0.1-base-ubuntu24.04", 0),
        ("nodeSelector: {kubernetes.io/arch: amd64}", "rayproject/ray:2.41.0-py311-cu124", 0),
        ("nodeSelector: {team: vision}", "rayproject/ray:2.41.0-py311-cu124", 0),
    ],
)
def test_an_image_that_is_built_for_one(where: str, image: str, said: int) -> None:
    """C-65: the pod's own selector says where it goes, where no model does."""
    found = findings(pod(where).replace("a/b:1", image), "GPU209")
    assert [one.severity for one in found] == ["warning"] * said
