"""NodeUnschedulable: cordoned nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still
from gpuspec.fleet.scheduler.tolerations import UNSCHEDULABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

_CORDONED = NodeRejection("NodeUnschedulable", ("node(s) were unschedulable",))


def prepare(shape: Shape, snapshot: Snapshot) -> NodeUnschedulable | None:
    """Return the filter, unless the pod tolerates the taint of cordoned nodes."""
    taint = (UNSCHEDULABLE, "", "NoSchedule")
    tolerated = any(toleration.answers(*taint) for toleration in shape.tolerations)
    return None if tolerated else NodeUnschedulable()


class NodeUnschedulable(Still):
    """Rejects cordoned nodes."""

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        return _CORDONED if node.unschedulable else None
