"""Sums over blocks of nodes, and the most that one of their nodes has left."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Set

    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.makes import Amounts, Make

    Measure = Callable[[Amounts], int]


def totals(
    blocks: Iterable[NodeBlock], kinds: Set[int], measure: Callable[[Make], Measure | None]
) -> dict[int, int]:
    """Return, by kind, the sum over its nodes of a measure that falls as more of a node is used.

    `measure` returns the measure for a make by its use; None where it is nothing.
    """
    found = dict.fromkeys(kinds, 0)
    for outer in blocks:
        of = None if kinds.isdisjoint(outer.kinds) else measure(outer.make)
        left = [] if of is None else [outer]
        while of is not None and left:
            block = left.pop()
            most = of(block.low)
            if not most or kinds.isdisjoint(block.kinds):
                continue
            if block.state is None and of(block.high) != most:
                left += block.inside.values()
                continue
            for kind, many in block.kinds.items():
                if kind in found:
                    found[kind] += many * most
    return found


def freest(blocks: Iterable[tuple[NodeBlock, Set[int]]], name: str) -> int:
    """Return the most that a node of some kinds in a block has left of a resource, of all these
    blocks; 0 where none has any."""
    found, number = 0, 0
    mixed: list[tuple[int, int, NodeBlock, Set[int]]] = []
    left: Iterable[tuple[NodeBlock, Set[int]]] = blocks
    while True:
        for block, kinds in left:
            free = block.make.left(name, block.low)
            if free <= found or kinds.isdisjoint(block.kinds):
                continue
            if block.kinds.keys() <= kinds:
                found = free
            else:
                heappush(mixed, (-free, number, block, kinds))
                number += 1
        if not mixed or -mixed[0][0] <= found:
            return found
        _, _, block, kinds = heappop(mixed)
        left = [(inner, kinds) for inner in block.inside.values()]
