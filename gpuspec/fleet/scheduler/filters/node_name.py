"""NodeName: the node that the pod names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

_OTHER = NodeRejection("NodeName", ("node(s) didn't match the requested node name",))


def prepare(shape: Shape, snapshot: Snapshot) -> NodeName | None:
    """Return the filter, where the pod names its node."""
    return NodeName(shape.node_name) if shape.node_name else None


class NodeName(Still):
    """Rejects every other node."""

    def __init__(self, name: str) -> None:
        self._name = name

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        return None if node.name == self._name else _OTHER
