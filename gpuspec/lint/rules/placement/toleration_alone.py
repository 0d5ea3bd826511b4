"""A pod without a device that may go to GPU nodes, and to all others."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.asking import asks_for_gpu
from gpuspec.lint.analysis.placement.placing import gpu_toleration, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole, tolerations

RULE = Rule(
    "GPU202",
    "toleration-without-device",
    "info",
    "A pod without GPUs tolerates the GPU taint",
    gives_way=("GPU106",),
)
_VARIABLE = "NVIDIA_VISIBLE_DEVICES"
_NONE = ("", "none", "void")
_CDI = ("cdi.k8s.io/", "nvidia.cdi.k8s.io/")
"""Annotations by which a container runtime injects devices that the scheduler does not count."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield tolerations for GPU nodes in pods that have no business there."""
    if not is_whole(pod) or pod.object.is_a("apps", "DaemonSet"):
        return
    if any(sibling.has_gpu or sibling.claims for sibling in pod.object.pods) or asks_for_gpu(pod):
        return
    if any(requirements(pod)) or pod.spec.get("nodeName") or _takes_gpus(pod):
        return
    index = gpu_toleration(pod, context)
    if index is None:
        return
    key = tolerations(pod)[index]["key"]
    yield RawFinding(
        pod.path("tolerations", index),
        f"the pod tolerates `{key}`, but no container requests a device: the pod may run on a GPU "
        "node and take the CPU and memory that the node's GPUs need",
        note="request the device if the pod needs one, or remove the toleration",
        confidence="likely",
    )


def _takes_gpus(pod: Pod) -> bool:
    """Return whether the pod uses GPUs that it does not request: a check of the node, for example."""
    if any(isinstance(key, str) and key.startswith(_CDI) for key in pod.annotations):
        return True
    chosen = (container.env_value(_VARIABLE) for container in pod.every)
    return any(value is not None and value.strip().lower() not in _NONE for value in chosen)
