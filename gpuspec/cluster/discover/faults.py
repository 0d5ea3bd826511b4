"""Why a node that should have GPUs advertises none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.labels import MIG_CONFIG, product_keys

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode

GFD_PRODUCT = "nvidia.com/gpu.product"
# NFD's labels for NVIDIA's VGA and 3D controllers; and labels that only say that there is a GPU.
_PRESENT = {
    "feature.node.kubernetes.io/pci-0300_10de.present": "true",
    "feature.node.kubernetes.io/pci-0302_10de.present": "true",
    "feature.node.kubernetes.io/pci-10de.present": "true",
    "nvidia.com/gpu.present": "true",
    "kubernetes.azure.com/accelerator": "nvidia",
}
_SETTLED = ("", "upgrade-done", "unknown")


def has_gpu_labels(node: LiveNode) -> bool:
    """Return whether the node's labels show accelerators."""
    return any(key in node.labels for key in product_keys()) or any(
        node.labels.get(key) == value for key, value in _PRESENT.items()
    )


def broken_mig(node: LiveNode) -> str | None:
    """Return whether the `single` strategy marks a layout that it cannot advertise."""
    if hardware.split_product(node.labels.get(GFD_PRODUCT, "")).mig != "INVALID":
        return None
    return (
        "the MIG layout is MIG-INVALID: the single strategy needs one profile on all GPUs, "
        "and none of them empty"
    )


def cause(node: LiveNode, dra: bool, resources: list[str]) -> str:
    """Return the likely cause of a node without allocatable GPUs; `resources` are those in its
    capacity."""
    labels = node.labels
    if dra or labels.get("cloud.google.com/gke-gpu-dra-driver") == "true":
        return "its GPUs are handed out by DRA, and no ResourceSlice lists any of them"
    return broken_mig(node) or _operator(labels) or _plugin(node, resources)


def _operator(labels: dict[str, str]) -> str | None:
    """Return the faulty components in the GPU Operator's labels."""
    mig = labels.get(f"{MIG_CONFIG}.state", "")
    if mig not in ("", "success"):
        return f"its MIG layout is being changed ({MIG_CONFIG}.state: {mig})"
    upgrade = labels.get("nvidia.com/gpu-driver-upgrade-state", "")
    if upgrade not in _SETTLED:
        return f"its driver is being upgraded (nvidia.com/gpu-driver-upgrade-state: {upgrade})"
    use = labels.get("nvidia.com/gpu.workload.config", "container")
    if use != "container":
        return f"its GPUs are for virtual machines (nvidia.com/gpu.workload.config: {use})"
    for part in ("operands", "driver", "container-toolkit", "device-plugin"):
        state = labels.get(f"nvidia.com/gpu.deploy.{part}", "true")
        if state != "true":
            return f"the GPU Operator is disabled on it (nvidia.com/gpu.deploy.{part}: {state})"
    return None


def _plugin(node: LiveNode, resources: list[str]) -> str:
    if not node.ready:
        return "the node is not ready"
    for resource in resources:
        count = node.amount(resource, capacity=True)
        if count:
            return f"none of its {count} {resource} is healthy, or the device plugin has stopped"
    if resources:
        return f"{resources[0]} is 0: the device plugin has stopped or finds no device"
    return (
        "no device plugin has registered: it is not ready yet, not installed or kept off by a taint"
    )
