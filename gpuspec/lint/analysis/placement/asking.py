"""Decide whether a pod requests a GPU, in any way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import wanted_devices
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod


def asks_for_gpu(pod: Pod) -> bool:
    """Return whether a pod requests a GPU in any way: a device or a claim, a similar name, a part
    of one (HAMi), an annotation (KAI). Zero devices do not count."""
    from gpuspec.lint.analysis.sharing.sharing import KAI

    if wanted_devices(pod) or pod.claims:
        return True
    if any(key in KAI for key in pod.annotations) or _is_patched(pod):
        return True
    limits = (name for container in pod.every for name in (*container.limits, *container.requests))
    return any(isinstance(name, str) and _means_gpu(name) for name in limits)


def _is_patched(pod: Pod) -> bool:
    """Return whether Argo merges a patch with a GPU into the pod."""
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
