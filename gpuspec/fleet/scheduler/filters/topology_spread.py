"""PodTopologySpread: the skew of pods over racks, zones or nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.tolerations import untolerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.fleet.scheduler.spreading import Spread

_MISSING = NodeRejection(
    "PodTopologySpread",
    ("node(s) didn't match pod topology spread constraints (missing required label)",),
)
_UNEVEN = NodeRejection(
    "PodTopologySpread",
    ("node(s) didn't match pod topology spread constraints",),
    resolvable=True,
)
_EFFECTS = ("NoSchedule", "NoExecute")


def prepare(shape: Shape, snapshot: Snapshot) -> TopologySpread | None:
    """Return the filter, where the pod has such constraints."""
    return TopologySpread(shape, snapshot) if shape.spread else None


class TopologySpread:
    """Rejects nodes on which the pod would exceed the maximum skew."""

    def __init__(self, shape: Shape, snapshot: Snapshot) -> None:
        self._shape = shape
        self._constraints = tuple(_DomainCounts(shape, spread) for spread in shape.spread)
        self._topologies = {spread.topology for spread in shape.spread}
        for constraint in self._constraints:
            counted = {
                shape
                for shape, count in snapshot.shapes.items()
                if count and constraint.means(shape)
            }
            for node, pods in zip(snapshot.nodes, snapshot.pods, strict=True):
                if self._counts(node):
                    constraint.enter(node, pods if counted else ())

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        for constraint in self._constraints:
            value = node.labels.get(constraint.topology)
            if value is None:
                return _MISSING
            if constraint.uneven(value):
                return _UNEVEN
        return None

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """See `Filter`."""
        if self._counts(node):
            for constraint in self._constraints:
                constraint.moved(node, placed, by)

    def _counts(self, node: FleetNode) -> bool:
        """Return whether a node lies in some domain of every constraint."""
        return self._topologies <= node.labels.keys()


class _DomainCounts:
    """Pods by domain of one constraint, and how many there are in the emptiest."""

    def __init__(self, shape: Shape, spread: Spread) -> None:
        self.topology = spread.topology
        self._shape = shape
        self._spread = spread
        self._own = 1 if spread.selector.met(shape.labels) else 0
        self._domains: dict[str, int] = {}
        # How many domains have so many pods: keeps the least at hand while pods come and go.
        self._with: dict[int, int] = {}
        self._least = 0
        self._meant: dict[Shape, bool] = {}

    def enter(self, node: FleetNode, pods: Iterable[RunningPod]) -> None:
        """Count a node and its pods."""
        if not self._eligible(node):
            return
        domain = node.labels[self.topology]
        if domain not in self._domains:
            self._domains[domain] = 0
            self._with[0] = self._with.get(0, 0) + 1
            self._least = 0
        for placed in pods:
            self._change(domain, placed, 1)

    def moved(self, node: FleetNode, placed: RunningPod, by: int) -> None:
        """Count a pod that came or left."""
        if self._eligible(node):
            self._change(node.labels[self.topology], placed, by)

    def uneven(self, domain: str) -> bool:
        """Return whether one more pod in a domain exceeds the maximum skew."""
        spread = self._spread
        least = 0 if len(self._domains) < spread.domains else self._least
        return self._domains.get(domain, 0) + self._own - least > spread.skew

    def _change(self, domain: str, placed: RunningPod, by: int) -> None:
        if placed.ending or not self.means(placed.shape):
            return
        before = self._domains[domain]
        after = self._domains[domain] = before + by
        self._with[before] -= 1
        self._with[after] = self._with.get(after, 0) + 1
        if after < self._least:
            self._least = after
        while not self._with.get(self._least):
            self._least += 1

    def means(self, shape: Shape) -> bool:
        """Return whether pods of a shape are counted."""
        is_counted = self._meant.get(shape)
        if is_counted is None:
            selector = self._spread.selector
            # A selector that selects everything counts nothing.
            is_counted = (
                shape.namespace == self._shape.namespace
                and not selector.everything
                and selector.met(shape.labels)
            )
            self._meant[shape] = is_counted
        return is_counted

    def _eligible(self, node: FleetNode) -> bool:
        shape = self._shape
        if self._spread.by_affinity and not shape.affinity.met(node.name, node.labels):
            return False
        if self._spread.by_taints and node.taints:
            return untolerated(shape.tolerations, node.taints, _EFFECTS) is None
        return True
