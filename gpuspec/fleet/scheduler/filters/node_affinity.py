"""NodeAffinity: the pod's node selector, and the node affinity that it requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection, Still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.terms import RequiredNodes as Wanted

CONFLICT = "pod affinity terms conflict"
# Of nodes that are not looked at, since each term names others.
NOT_NAMED = NodeRejection("NodeAffinity", ("node(s) didn't satisfy plugin(s) [NodeAffinity]",))
OTHER = NodeRejection("NodeAffinity", ("node(s) didn't match Pod's node affinity/selector",))


def prepare(shape: Shape, snapshot: Snapshot) -> NodeAffinity | None:
    """Return the filter, if the pod has such requirements."""
    affinity = shape.affinity
    if affinity.terms is None and affinity.selector.everything:
        return None
    return NodeAffinity(affinity)


class NodeAffinity(Still):
    """Rejects nodes whose labels or name do not match."""

    def __init__(self, required_nodes: Wanted) -> None:
        self._wanted = required_nodes

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        return None if self._wanted.met(node.name, node.labels) else OTHER
