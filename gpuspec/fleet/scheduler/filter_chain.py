"""The filters of one shape, kept up to date while pods are added and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.faults import Failed, Unjudged
from gpuspec.fleet.scheduler.filters import ORDER, dynamic_resources, pod_affinity
from gpuspec.fleet.scheduler.filters.base import Filter, NodeRejection
from gpuspec.fleet.scheduler.filters.node_affinity import CONFLICT, NOT_NAMED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot


class FilterChain:
    """Which nodes of a snapshot take a shape.

    The constructor reads every pod once. Afterwards call `moved` for every pod that is added to the
    snapshot or removed from it; a check of one node then reads only that node.
    """

    def __init__(self, shape: Shape, snapshot: Snapshot) -> None:
        self.shape = shape
        self.snapshot = snapshot
        self.conflict: str | None = None
        """The scheduler's message if it rejects the pod before it checks any node."""
        self._named = shape.affinity.named
        if self._named is not None and not self._named:
            self.conflict = CONFLICT
        elif shape.claims:
            self.conflict = dynamic_resources.conflict(shape, snapshot.devices)
        node_filters = (prepare(shape, snapshot) for prepare in ORDER)
        self._around = pod_affinity.prepare(shape, snapshot)
        last = dynamic_resources.prepare(shape, snapshot) if shape.claims else None
        self._filters: tuple[Filter, ...] = (
            *(node_filter for node_filter in node_filters if node_filter),
            self._around,
            *((last,) if last else ()),
        )

    @property
    def alone(self) -> bool:
        """Whether a node's state alone decides if it accepts the shape, in the current fleet."""
        return self.shape.plain and self._around.idle

    @property
    def local(self) -> bool:
        """Whether a pod that comes or leaves changes the answer for its own node at most.

        As the fleet is now, and if no two of its nodes have the same host name.
        """
        return not self.shape.spread and not self._around.wide

    def refusal(self, index: int, used: Mapping[str, int] | None = None) -> NodeRejection | None:
        """Return why a node does not take the shape; None if it does.

        `used` instead of what the snapshot says is used of the node.
        """
        snapshot = self.snapshot
        node = snapshot.nodes[index]
        if self._named is not None and node.name not in self._named:
            return NOT_NAMED
        if used is None:
            used = snapshot.used[index]
        for node_filter in self._filters:
            rejection = node_filter.check(index, node, used)
            if rejection is not None:
                return rejection
        return None

    def all_refusals(
        self, index: int, used: Mapping[str, int] | None = None
    ) -> tuple[NodeRejection, ...]:
        """Return all refusals of a node; the scheduler itself stops at the first."""
        snapshot = self.snapshot
        node = snapshot.nodes[index]
        if used is None:
            used = snapshot.used[index]
        node_rejections = (
            _checked(node_filter, index, node, used) for node_filter in self._filters
        )
        unnamed = self._named is not None and node.name not in self._named
        return (
            *((NOT_NAMED,) if unnamed else ()),
            *(node_rejection for node_rejection in node_rejections if node_rejection is not None),
        )

    def moved(self, index: int, placed: RunningPod, by: int) -> None:
        """Tell each filter that a pod was added to a node (1) or removed (-1)."""
        node = self.snapshot.nodes[index]
        for node_filter in self._filters:
            node_filter.moved(index, node, placed, by)


def _checked(
    node_filter: Filter, index: int, node: FleetNode, used: Mapping[str, int]
) -> NodeRejection | None:
    """Return the result of a filter for a node, also if the scheduler would give up on the pod."""
    try:
        return node_filter.check(index, node, used)
    except Failed as failed:
        return NodeRejection(dynamic_resources.PLUGIN, (str(failed),))
    except Unjudged:
        return None
