"""The score of a node for its labels: the pod's preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.terms import NodeTerm

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.shape import Shape


class Likes:
    """The scores of labels, computed once for each kind of node."""

    def __init__(self, node_states: NodeStates, shape: Shape, topologies: tuple[str, ...]) -> None:
        """Take in `topologies` the labels whose values pods are spread over."""
        self._node_states = node_states
        self._preferred = shape.preferred_nodes
        self._topologies = topologies
        self._labels: dict[int, object] = {}
        self._wishes: dict[int, int] = {}

    def label(self, index: int) -> object:
        """Return the part of a node's score that comes from its labels."""
        kind = self._node_states.kind[index]
        wish_and_domains = self._labels.get(kind)
        if wish_and_domains is None:
            labels = self._node_states.snapshot.nodes[index].labels
            domains = tuple(labels.get(topology) for topology in self._topologies)
            wish_and_domains = self._labels[kind] = (self.wish(index), domains)
        return wish_and_domains

    def wish(self, index: int) -> int:
        """Return the weight of the pod's preferences that this node meets."""
        if not self._preferred:
            return 0
        kind = self._node_states.kind[index]
        weight_sum = self._wishes.get(kind)
        if weight_sum is None:
            node = self._node_states.snapshot.nodes[index]
            terms = ((preferred.weight, preferred.term) for preferred in self._preferred)
            weight_sum = sum(
                weight
                for weight, term in terms
                if isinstance(term, NodeTerm) and term.met(node.name, node.labels)
            )
            self._wishes[kind] = weight_sum
        return weight_sum
