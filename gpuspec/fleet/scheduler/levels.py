"""Nodes by score, the best at hand."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Levels:
    """Nodes by score. A node is in one level; whoever takes it out says where it stands."""

    def __init__(self) -> None:
        self._nodes: dict[int, list[int]] = {}
        self._heap: list[int] = []

    def __bool__(self) -> bool:
        return self.best() is not None

    def add(self, score: int, node: int) -> None:
        """Add a node."""
        self.extend(score, (node,))

    def extend(self, score: int, nodes: Iterable[int]) -> None:
        """Add nodes that have the same score."""
        level = self._nodes.get(score)
        if level is None:
            self._nodes[score] = list(nodes)
            heappush(self._heap, -score)
        else:
            level.extend(nodes)

    def best(self) -> int | None:
        """The highest score that any node has; None where there are no nodes."""
        heap = self._heap
        while heap:
            score = -heap[0]
            if self._nodes.get(score):
                return score
            heappop(heap)
            self._nodes.pop(score, None)
        return None

    def level(self, score: int) -> list[int]:
        """The nodes with a score."""
        return self._nodes[score]

    def scores(self) -> list[int]:
        """All scores that nodes have, the highest first."""
        return sorted((score for score, nodes in self._nodes.items() if nodes), reverse=True)

    def take(self, score: int, position: int) -> int:
        """Take out the node at a place of a level."""
        nodes = self._nodes[score]
        nodes[position], nodes[-1] = nodes[-1], nodes[position]
        return nodes.pop()

    def __len__(self) -> int:
        return sum(map(len, self._nodes.values()))
