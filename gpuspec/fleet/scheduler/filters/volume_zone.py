"""VolumeZone: the zones of the volumes that the pod's claims are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.volumes import BoundVolume

_ELSEWHERE = NodeRejection("VolumeZone", ("node(s) had no available volume zone",))


def prepare(shape: Shape, snapshot: Snapshot) -> VolumeZone | None:
    """Return the filter, where a volume of the pod lies in a zone."""
    zoned = tuple(volume for volume in shape.volumes if volume.zones)
    return VolumeZone(zoned) if zoned else None


class VolumeZone(Still):
    """Rejects nodes whose zone label differs from a volume's zone."""

    def __init__(self, volumes: tuple[BoundVolume, ...]) -> None:
        self._volumes = volumes

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        inside = all(volume.in_zone(node.labels) for volume in self._volumes)
        return None if inside else _ELSEWHERE
