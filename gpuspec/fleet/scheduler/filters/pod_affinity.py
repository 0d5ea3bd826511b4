"""InterPodAffinity: required pod affinity and anti-affinity, and the anti-affinity of existing
pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.selectors import HOSTNAME
from gpuspec.fleet.scheduler.terms import NAMESPACE_NAME, PodTerm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot

_FAR = NodeRejection("InterPodAffinity", ("node(s) didn't match pod affinity rules",))
_NEAR = NodeRejection(
    "InterPodAffinity", ("node(s) didn't match pod anti-affinity rules",), resolvable=True
)
_REPELLED = NodeRejection(
    "InterPodAffinity",
    ("node(s) didn't satisfy existing pods anti-affinity rules",),
    resolvable=True,
)

Pair = tuple[str, str]


def prepare(shape: Shape, snapshot: Snapshot) -> PodAffinity:
    """Return the filter."""
    pod_affinity = PodAffinity(shape, snapshot.namespaces)
    if not (any(snapshot.apart.values()) or shape.near or shape.apart):
        return pod_affinity
    for index, (node, pods) in enumerate(zip(snapshot.nodes, snapshot.pods, strict=True)):
        for placed in pods:
            pod_affinity.moved(index, node, placed, 1)
    return pod_affinity


class PodAffinity:
    """Rejects nodes in whose topology the wrong pods run, or the right ones do not."""

    def __init__(self, shape: Shape, namespaces: Mapping[str, Mapping[str, str]]) -> None:
        self._shape = shape
        self._namespaces = namespaces
        self._alone = bool(shape.near) and self._means(shape.near, shape)
        # Pods by topology, value and what they are: those to be near to, those to keep away from,
        # and those that keep this one away.
        self._friends: dict[Pair, int] = {}
        self._foes: dict[Pair, int] = {}
        self._repelling: dict[Pair, int] = {}
        self._topologies: set[str] = set()
        self._known: dict[Shape, _Relation] = {}

    @property
    def idle(self) -> bool:
        """Whether it rejects no node as the fleet is now."""
        return not (self._shape.near or self._shape.apart or self._repelling)

    @property
    def wide(self) -> bool:
        """Whether a pod can make a difference to other nodes than its own, as the fleet is now."""
        topologies = {term.topology for term in self._shape.apart}
        return bool(self._shape.near) or not topologies | self._topologies <= {HOSTNAME}

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        labels = node.labels
        if self._shape.near:
            near = True
            for term in self._shape.near:
                value = labels.get(term.topology)
                if value is None:
                    return _FAR
                near = near and (term.topology, value) in self._friends
            # The first of a group whose pods want each other's company is alone with itself.
            if not near and (self._friends or not self._alone):
                return _FAR
        for term in self._shape.apart if self._foes else ():
            if (term.topology, labels.get(term.topology)) in self._foes:
                return _NEAR
        for topology in self._topologies if self._repelling else ():
            if (topology, labels.get(topology)) in self._repelling:
                return _REPELLED
        return None

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """See `Filter`."""
        relation = self._known.get(placed.shape)
        if relation is None:
            relation = self._known[placed.shape] = self._relation(placed.shape)
        if relation is _UNRELATED:
            return
        for counts, topologies in zip(
            (self._friends, self._foes, self._repelling), relation, strict=True
        ):
            for topology in topologies:
                value = node.labels.get(topology)
                if value is not None:
                    pair = (topology, value)
                    counts[pair] = counts.get(pair, 0) + by
                    if not counts[pair]:
                        del counts[pair]
        self._topologies.update(relation[2])

    def _relation(self, other_shape: Shape) -> _Relation:
        """Return the topologies in which a pod matches the affinity, the anti-affinity, and in
        which its own anti-affinity excludes this one."""
        shape = self._shape
        near = self._means(shape.near, other_shape) if shape.near else False
        space = self._labels(other_shape.namespace)
        topology_keys = (
            tuple(term.topology for term in shape.near) if near else (),
            tuple(
                term.topology
                for term in shape.apart
                if term.met(other_shape.namespace, space, other_shape.labels)
            ),
            tuple(
                term.topology
                for term in other_shape.apart
                if term.met(shape.namespace, self._labels(shape.namespace), shape.labels)
            ),
        )
        return topology_keys if any(topology_keys) else _UNRELATED

    def _means(self, terms: tuple[PodTerm, ...], shape: Shape) -> bool:
        """Return whether all terms select a pod."""
        space = self._labels(shape.namespace)
        return all(term.met(shape.namespace, space, shape.labels) for term in terms)

    def _labels(self, namespace: str) -> Mapping[str, str]:
        return {NAMESPACE_NAME: namespace, **self._namespaces.get(namespace, {})}


_Relation = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
_UNRELATED: _Relation = ((), (), ())
