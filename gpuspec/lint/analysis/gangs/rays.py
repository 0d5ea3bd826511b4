"""Groups of a Ray cluster: the head, and each kind of worker.

Source: KubeRay 1.7, controllers/ray/common/pod.go and utils/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at, mapping

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod


class RayGroup(msgspec.Struct, frozen=True):
    """A group as written."""

    value: dict[str, Any]
    path: Path
    head: bool


def group_of(pod: Pod) -> RayGroup | None:
    """Return the group that a pod belongs to; None for pods of other kinds and for submitters."""
    owner = pod.object
    inside = pod.base[len(owner.base) :]
    if owner.group != "ray.io":
        return None
    if "headGroupSpec" in inside:
        cut = inside.index("headGroupSpec") + 1
    elif "workerGroupSpecs" in inside:
        cut = inside.index("workerGroupSpecs") + 2
    else:
        return None
    path = inside[:cut]
    return RayGroup(mapping(at(owner.value, path)), owner.path(*path), "headGroupSpec" in inside)
