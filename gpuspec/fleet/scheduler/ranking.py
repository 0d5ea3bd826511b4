"""The states of nodes by their score for a pod, the best first."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.blocks import states
from gpuspec.fleet.scheduler.makes import within

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.worth import Worth


class Ranking:
    """The states of some kinds by the score of their nodes, read lazily from blocks.

    Nodes may change meanwhile: each unchanged node appears once and in its place.
    """

    def __init__(
        self, blocks: Iterable[tuple[int, NodeBlock]], kinds: Set[int], worth: Worth
    ) -> None:
        """Take the outermost `blocks`, each with the highest score of a node in it."""
        self._kinds = kinds
        self._worth = worth
        self._due: dict[int, list[NodeBlock]] = {}
        """Blocks by the upper bound of their scores."""
        self._heap: list[int] = []
        """The same values, negated."""
        self._unseen: set[NodeBlock] = set()
        """Outermost blocks with only an upper bound known."""
        for most, block in blocks:
            self._unseen.add(block)
            self._put(most, block)

    @property
    def most(self) -> int | None:
        """The upper bound of the remaining scores; None if none remains."""
        return -self._heap[0] if self._heap else None

    def next(self) -> tuple[int, list[NodeBlock]] | None:
        """Return the best of the remaining states, and their score."""
        kinds, unseen = self._kinds, self._unseen
        blocks: list[NodeBlock] = []
        while self._heap and not blocks:
            most = -heappop(self._heap)
            remaining = self._due.pop(most)
            while remaining:
                block = remaining.pop()
                if block in unseen:
                    unseen.remove(block)
                    remaining += self._looked(block, (block,), most)
                elif block.state is not None or block.low == block.high:
                    blocks += [
                        state for state in states(block) if not kinds.isdisjoint(state.kinds)
                    ]
                else:
                    remaining += self._looked(block, block.inside.values(), most)
        return (most, blocks) if blocks else None

    def _looked(self, outer: NodeBlock, blocks: Iterable[NodeBlock], most: int) -> list[NodeBlock]:
        """Return the inner blocks of some blocks that may have the highest score now, and store the
        others. Except for blocks that came in since, no score is above `most`."""
        limits = self._worth.limits(outer.make)
        if limits is None:
            return []
        if within(limits, outer.high):
            limits = ()
        others = None if outer.kinds.keys() <= self._kinds else self._kinds
        score = self._worth.score(outer.make)
        node_blocks: list[NodeBlock] = []
        for block in blocks:
            if others is not None and others.isdisjoint(block.kinds):
                continue
            low = block.low
            for at, bound in limits:
                if low[at] > bound:
                    break
            else:
                value = score(low, block.high)
                if value >= most:
                    node_blocks.append(block)
                else:
                    self._put(value, block)
        return node_blocks

    def _put(self, value: int, block: NodeBlock) -> None:
        due = self._due.get(value)
        if due is None:
            self._due[value] = [block]
            heappush(self._heap, -value)
        else:
            due.append(block)
