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
    totals_by_kind = dict.fromkeys(kinds, 0)
    for outer in blocks:
        of = None if kinds.isdisjoint(outer.kinds) else measure(outer.make)
        remaining = [] if of is None else [outer]
        while of is not None and remaining:
            block = remaining.pop()
            most = of(block.low)
            if not most or kinds.isdisjoint(block.kinds):
                continue
            if block.state is None and of(block.high) != most:
                remaining += block.inside.values()
                continue
            for kind, count in block.kinds.items():
                if kind in totals_by_kind:
                    totals_by_kind[kind] += count * most
    return totals_by_kind


def freest(blocks: Iterable[tuple[NodeBlock, Set[int]]], name: str) -> int:
    """Return the most that a node of some kinds in a block has left of a resource, of all these
    blocks; 0 where none has any."""
    most_free, number = 0, 0
    mixed: list[tuple[int, int, NodeBlock, Set[int]]] = []
    remaining: Iterable[tuple[NodeBlock, Set[int]]] = blocks
    while True:
        for block, kinds in remaining:
            free = block.make.left(name, block.low)
            if free <= most_free or kinds.isdisjoint(block.kinds):
                continue
            if block.kinds.keys() <= kinds:
                most_free = free
            else:
                heappush(mixed, (-free, number, block, kinds))
                number += 1
        if not mixed or -mixed[0][0] <= most_free:
            return most_free
        _, _, block, kinds = heappop(mixed)
        remaining = [(inner, kinds) for inner in block.inside.values()]
