"""The score that spreads pods by preference.

Sources: Kubernetes 1.37, pkg/scheduler/framework/plugins/podtopologyspread (scoring.go, and
plugin.go for the constraints of pods of services, which have some by default).
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.selectors import HOSTNAME, Selector, equal
from gpuspec.fleet.scheduler.spreading import Spread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot

WEIGHT = 2
MOST = 100
_ZONE = "topology.kubernetes.io/zone"
_DEFAULTS = ((HOSTNAME, 3), (_ZONE, 5))


class SpreadScore:
    """Pods by domain of the constraints that a shape prefers."""

    def __init__(self, shape: Shape, snapshot: Snapshot, *, service: bool) -> None:
        """Set up the score.

        `service`: the pods belong to a Service, a Deployment, a StatefulSet or a ReplicaSet.
        """
        self._snapshot = snapshot
        self._namespace = shape.namespace
        self._constraints = shape.preferred_spread
        if not self._constraints and not shape.spread and service and shape.labels:
            selector = Selector(equal(shape.labels))
            self._constraints = tuple(Spread(key, skew, selector) for key, skew in _DEFAULTS)
        self._counts: list[dict[str, int]] = [{} for _ in self._constraints]
        self._meant: dict[Shape, tuple[bool, ...]] = {}
        self.by_host = any(constraint.topology == HOSTNAME for constraint in self._constraints)
        """Whether two nodes that differ in name alone may have different scores."""
        keys = dict.fromkeys(constraint.topology for constraint in self._constraints)
        self.topologies = tuple(key for key in keys if key != HOSTNAME)
        """The labels by whose values scores differ, besides the host's name."""
        matching_shapes = (
            snapshot.meant(shape.namespace, constraint.selector) for constraint in self._constraints
        )
        if any(
            any(self._means(other_shape)) for shapes in matching_shapes for other_shape in shapes
        ):
            for index, pods in enumerate(snapshot.pods):
                for placed in pods:
                    self.moved(index, placed, 1)

    def __bool__(self) -> bool:
        return bool(self._constraints)

    def moved(self, index: int, placed: RunningPod, by: int) -> None:
        """Record that a pod was added to a node (1) or removed (-1)."""
        labels = self._snapshot.nodes[index].labels
        for constraint, counts, means in zip(
            self._constraints, self._counts, self._means(placed.shape), strict=True
        ):
            value = labels.get(constraint.topology)
            if means and value is not None and not placed.ending:
                counts[value] = counts.get(value, 0) + by

    @property
    def counted(self) -> bool:
        """Whether any pod is counted yet."""
        return any(self._counts)

    def on(self, index: int) -> int:
        """Return pods that the host's constraint counts on a node."""
        name = self._snapshot.nodes[index].labels.get(HOSTNAME, "")
        constraint_counts = zip(self._constraints, self._counts, strict=True)
        return sum(
            counts.get(name, 0)
            for spread, counts in constraint_counts
            if spread.topology == HOSTNAME
        )

    @property
    def hosts(self) -> set[str]:
        """The host names of the nodes on which the host's constraint counts pods."""
        constraint_counts = zip(self._constraints, self._counts, strict=True)
        return {
            name
            for spread, counts in constraint_counts
            if spread.topology == HOSTNAME
            for name, count in counts.items()
            if count
        }

    def scores(self, nodes: Sequence[int], hosts: Callable[[], int]) -> list[int]:
        """Return scores from 0 to 200, one for each of these nodes, which stand for `hosts` that
        take it."""
        labels = [self._snapshot.nodes[index].labels for index in nodes]
        raw = [0.0] * len(nodes)
        for constraint, counts in zip(self._constraints, self._counts, strict=True):
            values = [label.get(constraint.topology) for label in labels]
            weight = 0.0
            if any(counts.get(value) for value in values if value is not None):
                domains = hosts() if constraint.topology == HOSTNAME else len({*values} - {None})
                weight = log(domains + 2)
            for index, value in enumerate(values):
                if value is not None:
                    raw[index] += counts.get(value, 0) * weight + constraint.skew - 1
        rounded = [round(raw_score) for raw_score in raw]
        most, least = max(rounded), min(rounded)
        if most == 0:
            return [MOST * WEIGHT] * len(nodes)
        return [MOST * (most + least - score) // most * WEIGHT for score in rounded]

    def _means(self, shape: Shape) -> tuple[bool, ...]:
        matches = self._meant.get(shape)
        if matches is None:
            same_namespace = shape.namespace == self._namespace
            matches = tuple(
                same_namespace and constraint.selector.met(shape.labels)
                for constraint in self._constraints
            )
            self._meant[shape] = matches
        return matches
