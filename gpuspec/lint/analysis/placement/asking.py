"""Whether a pod asks for a GPU, in whatever way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import wanted_devices
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod


def asks_for_gpu(pod: Pod) -> bool:
    """Return whether it asks for a GPU in any way: a device or a claim, a name that means one, an
    amount of one (HAMi), an annotation (KAI). Zero devices are none."""
    from gpuspec.lint.analysis.sharing.sharing import KAI

    if wanted_devices(pod) or pod.claims:
        return True
    if any(key in KAI for key in pod.annotations) or _is_patched(pod):
        return True
    limits = (name for container in pod.every for name in (*container.limits, *container.requests))
    return any(isinstance(name, str) and _means_gpu(name) for name in limits)


def _is_patched(pod: Pod) -> bool:
    """Return whether Argo lays something over the pod that speaks of a GPU."""
    owner = pod.object
    if owner.group != "argoproj.io":
        return False
    places = (pod.spec, owner.spec, mapping(owner.spec.get("workflowSpec")))
    return any("gpu" in text(place.get("podSpecPatch")).lower() for place in places)


def _means_gpu(name: str) -> bool:
    from gpuspec import hardware
    from gpuspec.lint.analysis.placement.resource_names import meant_resource
    from gpuspec.lint.analysis.sharing.mig import written

    if hardware.is_gpu_resource(name):
        return False  # counted already, or 0
    if "gpu" in name.lower() or written(name) is not None:
        return True
    return hardware.is_gpu_resource(meant_resource(name) or "")
