"""VolumeBinding: the node affinity of the volumes that the pod's claims are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.volumes import BoundVolume

_ELSEWHERE = NodeRejection(
    "VolumeBinding", ("node(s) didn't match PersistentVolume's node affinity",)
)


def prepare(shape: Shape, snapshot: Snapshot) -> VolumeBinding | None:
    """Return the filter, where a volume of the pod is particular."""
    tied = tuple(volume for volume in shape.volumes if volume.terms is not None)
    return VolumeBinding(tied) if tied else None


class VolumeBinding(Still):
    """Rejects nodes from which a volume cannot be reached."""

    def __init__(self, volumes: tuple[BoundVolume, ...]) -> None:
        self._volumes = volumes

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        reached = all(volume.reached(node.labels) for volume in self._volumes)
        return None if reached else _ELSEWHERE
