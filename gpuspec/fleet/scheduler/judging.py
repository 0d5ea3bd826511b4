"""Why nodes do not take a pod, found block by block where a node's state alone tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import Refusal
from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.verdict import Verdict, feasible

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.blocks import Block
    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.makes import Amounts, Limits
    from gpuspec.fleet.scheduler.sieve import Sieve

_Lacks = tuple[bool, ...]
"""Of each resource that is asked for, whether too little is left."""
_SOONER = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
"""The plugins that are asked before `NodeResourcesFit`."""


def judged(board: Board, sieve: Sieve) -> Verdict:
    """What the filters say of a pod on a board: as `feasible`, which looks at every node."""
    if sieve.conflict is not None or not sieve.alone:
        return feasible(sieve.shape, board.snapshot, sieve)
    refusing = _Refusing(board, sieve)
    known = refusing.told()
    refused = sum(many for _, many in known)
    every = range(len(board.state))
    taking = (at for at in every if at not in refusing) if refused < len(every) else ()
    return Verdict(sieve.shape, len(every), tuple(taking), refusing, known=known)


class _Refusing(Mapping[int, Refusal]):
    """Why nodes do not take a pod, as they were: nothing is found of a node before it is asked for."""

    def __init__(self, board: Board, sieve: Sieve) -> None:
        self._board = board
        self._states = list(board.state)
        self._resources = NodeResources(sieve.shape.requests)
        self._asked = sieve.shape.requests
        # Room aside, nodes of one kind are refused for the same.
        self._empty = [sieve.refusal(first, {}) for first in board.kinds]
        self._known: dict[int, Refusal | None] = {}

    def __getitem__(self, node: int) -> Refusal:
        state = self._states[node]
        if state not in self._known:
            kind = self._board.kind_of(state)
            self._known[state] = self._of(kind, self._board.amounts(state))
        found = self._known[state]
        if found is None:
            raise KeyError(node)
        return found

    def __iter__(self) -> Iterator[int]:
        return (node for node in range(len(self._states)) if node in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def told(self) -> tuple[tuple[Refusal, int], ...]:
        """Each refusal, and of how many nodes it is told, while they are as they were."""
        found: dict[Refusal, int] = {}
        for outer in self._board.blocks.makes.values():
            known: dict[tuple[_Lacks, int], Refusal | None] = {}
            for lacks, block in alike(outer, outer.make.limits(self._asked)):
                for kind, many in block.kinds.items():
                    key = lacks, kind
                    if key not in known:
                        known[key] = self._of(kind, block.low)
                    refusal = known[key]
                    if refusal is not None:
                        found[refusal] = found.get(refusal, 0) + many
        return tuple(found.items())

    def _of(self, kind: int, used: Amounts) -> Refusal | None:
        """What is said of a node of a kind of which so much is used."""
        other = self._empty[kind]
        if other is not None and other.plugin in _SOONER:
            return other
        board = self._board
        node, amounts = board.snapshot.nodes[board.kinds[kind]], board.makes[kind].named(used)
        return self._resources.check(0, node, amounts) or other


def alike(block: Block, limits: Limits) -> Iterator[tuple[_Lacks, Block]]:
    """The blocks in a block of which all nodes lack the same, with that."""
    left = [block]
    while left:
        one = left.pop()
        low, high = one.low, one.high
        lacks = tuple([low[at] > most for at, most in limits])
        if low is high or lacks == tuple([high[at] > most for at, most in limits]):
            yield lacks, one
        else:
            left += one.inside.values()
