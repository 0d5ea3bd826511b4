"""Nodes by score, the best first."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class First(Protocol):
    """Nodes by score, the highest first, read lazily."""

    @property
    def most(self) -> int | None:
        """The upper bound of the remaining scores; None if no node remains."""

    def next(self) -> tuple[int, list[int]] | None:
        """Return the highest remaining score, and the nodes with it."""


class Levels:
    """Nodes by score. A node is in one level, and is removed by its place in it.

    The initial nodes are read when they are needed; in their levels they precede nodes that are
    added later.
    """

    def __init__(self, first: First | None = None, order: int | None = None) -> None:
        self.order = order
        """Its position among other levels; None until it is computed."""
        self.first = first
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
        """Return the highest score of any node; None without nodes."""
        heap = self._heap
        while True:
            self._ask(-heap[0] if heap else None)
            if not heap:
                return None
            score = -heap[0]
            if self._nodes.get(score):
                return score
            heappop(heap)
            self._nodes.pop(score, None)

    def level(self, score: int) -> list[int]:
        """Return the nodes with a score."""
        return self._nodes[score]

    def scores(self) -> Iterator[int]:
        """Yield all scores that nodes have, the highest first, while none comes or goes."""
        score = self.best()
        while score is not None:
            yield score
            last = score
            while True:
                score = max(
                    (node for node in self._nodes if node < last and self._nodes[node]),
                    default=None,
                )
                if not self._ask(score):
                    break

    def take(self, score: int, position: int) -> int:
        """Take out the node at a place of a level."""
        nodes = self._nodes[score]
        nodes[position], nodes[-1] = nodes[-1], nodes[position]
        return nodes.pop()

    def __len__(self) -> int:
        return sum(map(len, self._nodes.values()))

    def _ask(self, score: int | None) -> bool:
        """Read the initial nodes that may have at least a score; for None, one level of them.

        Returns whether there were any.
        """
        first, was_asked = self.first, False
        while (
            first is not None and first.most is not None and (score is None or first.most >= score)
        ):
            best = first.next()
            if best is None:
                break
            value, nodes = best
            if not nodes:
                continue
            was_asked = True
            later = self._nodes.get(value)
            if later is None:
                heappush(self._heap, -value)
            self._nodes[value] = nodes if later is None else [*nodes, *later]
            if score is None or value > score:
                score = value
        return was_asked
