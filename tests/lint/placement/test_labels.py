"""Labels that a labeller sets, or set once."""

import pytest

from tests.lint.placement.pods import context, findings, pod


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("nvidia.com/gpu.product", "A100", "NVIDIA-A100-SXM4-80GB"),
        ("nvidia.com/gpu.product", "NVIDIA-A100-SMX4-80GB", "NVIDIA-A100-SXM4-80GB"),
        ("nvidia.com/gpu.product", "nvidia-l4", "NVIDIA-L4"),
        ("cloud.google.com/gke-accelerator", "nvidia-h100-80g", "nvidia-h100-80gb"),
        ("karpenter.k8s.aws/instance-gpu-name", "A100", "a100"),
        ("nvidia.com/gpu.prodcut", "NVIDIA-L4", "nvidia.com/gpu.product"),
        ("nvidia.com/gpu-memory", "24576", "nvidia.com/gpu.memory"),
        ("nvidia.com/mig.stratgy", "single", "nvidia.com/mig.strategy"),
        ("cloud.google.com/gke-accelerators", "nvidia-l4", "cloud.google.com/gke-accelerator"),
    ],
)
def test_labels_that_no_labeller_sets(key: str, value: str, meant: str) -> None:
    """C-09"""
    [found] = findings(pod(f'nodeSelector: {{{key}: "{value}"}}'), "GPU213")
    assert f"`{meant}`" in found.message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nvidia.com/gpu.product", "NVIDIA-L4"),
        ("nvidia.com/gpu.product", "NVIDIA-L4-SHARED"),
        ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"),
        ("nvidia.com/gpu.product", "NVIDIA-R200"),
        ("nvidia.com/gpu.deploy.driver", "true"),
        ("nvidia.com/mig-1g.5gb.count", "7"),
        ("nvidia.com/custom", "yes"),
        ("gpu.nvidia.com/class", "H100"),
        ("example.com/gpu.prodcut", "x"),
        ("cloud.google.com/gke-nodepool", "gpu"),
        ("cloud.google.com/gke-tpu-slice", "x"),
    ],
)
def test_labels_that_somebody_may_set(key: str, value: str) -> None:
    assert not findings(pod(f'nodeSelector: {{{key}: "{value}"}}'), "GPU213")


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        (
            "beta.kubernetes.io/instance-type",
            "`beta.kubernetes.io/instance-type` is deprecated; use",
        ),
        (
            "karpenter.sh/provisioner-name",
            "no component sets `karpenter.sh/provisioner-name` any more: the",
        ),
    ],
)
def test_a_label_is_deprecated_or_gone(key: str, fault: str) -> None:
    """C-08: cloud providers still set the deprecated ones of Kubernetes."""
    [found] = findings(pod(f"nodeSelector: {{{key}: a}}"), "GPU210")
    assert found.message.startswith(fault)


def test_an_old_label_that_the_profile_tells_is_right() -> None:
    old = pod("nodeSelector: {accelerator: nvidia}")
    assert not findings(old, "GPU210")
    assert findings(old, "GPU210", context=context("aks"))
    told = context("aks", labels={"accelerator": "nvidia"})
    assert not findings(old, "GPU210", context=told)
