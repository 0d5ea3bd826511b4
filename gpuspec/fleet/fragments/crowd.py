"""Find the classes whose host requests fit into given free resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Point = tuple[int, ...]


class Crowd:
    """Weighted points in a binary tree, in which the bounds of a half decide for all its points at
    once."""

    __slots__ = ("_halves", "_high", "_low", "weight")

    def __init__(self, points: Sequence[tuple[Point, int]], axis: int = 0) -> None:
        """Take `points` with their weights, which are above 0."""
        self.weight = sum(weight for _, weight in points)
        self._low: Point = tuple(map(min, zip(*(point for point, _ in points), strict=True)))
        self._high: Point = tuple(map(max, zip(*(point for point, _ in points), strict=True)))
        self._halves: tuple[Crowd, ...] = ()
        if self._low != self._high:
            turn = (axis + step for step in range(len(self._low)))
            axis = next(
                at for at in (number % len(self._low) for number in turn) if self._differs(at)
            )
            ranked = sorted(points, key=lambda point: point[0][axis])
            half = len(ranked) // 2
            self._halves = Crowd(ranked[:half], axis + 1), Crowd(ranked[half:], axis + 1)

    def _differs(self, axis: int) -> bool:
        return self._low[axis] < self._high[axis]

    def within(self, bound: Point) -> int:
        """Return the weight of the points that do not exceed the bound in any coordinate."""
        weight, crowds = 0, [self]
        while crowds:
            crowd = crowds.pop()
            if all(map(int.__le__, crowd._high, bound)):
                weight += crowd.weight
            elif all(map(int.__le__, crowd._low, bound)):
                crowds += crowd._halves
        return weight

    def has(self, bound: Point) -> bool:
        """Return whether there is such a point."""
        crowds = [self]
        while crowds:
            crowd = crowds.pop()
            if all(map(int.__le__, crowd._high, bound)):
                return True
            if all(map(int.__le__, crowd._low, bound)):
                crowds += crowd._halves
        return False
