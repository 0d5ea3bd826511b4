"""Why nodes reject a pod, checked block by block if a node's state alone decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.verdict import Verdict, feasible

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.filter_chain import FilterChain
    from gpuspec.fleet.scheduler.makes import Amounts, Limits
    from gpuspec.fleet.scheduler.node_states import NodeStates

_Lacks = tuple[bool, ...]
"""For each requested resource, whether too little is free."""
_SOONER = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
"""The plugins that run before `NodeResourcesFit`."""


def judged(node_states: NodeStates, filter_chain: FilterChain) -> Verdict:
    """Return the filters' verdict on a pod, from the node states: equal to that of `feasible`,
    which checks every node."""
    if filter_chain.conflict is not None or not filter_chain.alone:
        return feasible(filter_chain.shape, node_states.snapshot, filter_chain)
    refusing = _Refusing(node_states, filter_chain)
    refusals = refusing.told()
    refused = sum(count for _, count in refusals)
    every = range(len(node_states.state))
    taking = (at for at in every if at not in refusing) if refused < len(every) else ()
    return Verdict(filter_chain.shape, len(every), tuple(taking), refusing, known=refusals)


class _Refusing(Mapping[int, NodeRejection]):
    """Why nodes rejected a pod at that moment, computed lazily."""

    def __init__(self, node_states: NodeStates, filter_chain: FilterChain) -> None:
        self._node_states = node_states
        self._states = list(node_states.state)
        self._resources = NodeResources(filter_chain.shape.requests)
        self._asked = filter_chain.shape.requests
        # Room aside, nodes of one kind are refused for the same.
        self._empty = [filter_chain.refusal(first, {}) for first in node_states.kinds]
        self._known: dict[int, NodeRejection | None] = {}

    def __getitem__(self, node: int) -> NodeRejection:
        state = self._states[node]
        if state not in self._known:
            kind = self._node_states.kind_of(state)
            self._known[state] = self._of(kind, self._node_states.amounts(state))
        rejection = self._known[state]
        if rejection is None:
            raise KeyError(node)
        return rejection

    def __iter__(self) -> Iterator[int]:
        return (node for node in range(len(self._states)) if node in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def told(self) -> tuple[tuple[NodeRejection, int], ...]:
        """Return each refusal with its number of nodes; the nodes must not have changed."""
        counts: dict[NodeRejection, int] = {}
        for outer in self._node_states.blocks.makes.values():
            rejections: dict[tuple[_Lacks, int], NodeRejection | None] = {}
            for lacks, block in alike(outer, outer.make.limits(self._asked)):
                for kind, count in block.kinds.items():
                    key = lacks, kind
                    if key not in rejections:
                        rejections[key] = self._of(kind, block.low)
                    refusal = rejections[key]
                    if refusal is not None:
                        counts[refusal] = counts.get(refusal, 0) + count
        return tuple(counts.items())

    def _of(self, kind: int, used: Amounts) -> NodeRejection | None:
        """Return the refusal of a node of a kind with this use."""
        other_kind = self._empty[kind]
        if other_kind is not None and other_kind.plugin in _SOONER:
            return other_kind
        node_states = self._node_states
        node, amounts = (
            node_states.snapshot.nodes[node_states.kinds[kind]],
            node_states.makes[kind].named(used),
        )
        return self._resources.check(0, node, amounts) or other_kind


def alike(block: NodeBlock, limits: Limits) -> Iterator[tuple[_Lacks, NodeBlock]]:
    """Yield the blocks in a block whose nodes all lack the same resources, with those."""
    blocks = [block]
    while blocks:
        first_block = blocks.pop()
        low, high = first_block.low, first_block.high
        lacks = tuple([low[at] > most for at, most in limits])
        if low is high or lacks == tuple([high[at] > most for at, most in limits]):
            yield lacks, first_block
        else:
            blocks += first_block.inside.values()
