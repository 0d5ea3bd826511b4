"""Expected fragment: idle GPU capacity that a class of work drawn by demand cannot use.

After Weng et al., Beware of Fragmentation, USENIX ATC 2023. Everything is counted in whole
thousandths of a GPU times whole weights, so that sums and differences are exact and the order of
their terms changes nothing; only `expected` divides.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fragments.crowd import Crowd, Point
from gpuspec.fleet.fragments.state import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.fleet.fragments.classes import Class
    from gpuspec.fleet.fragments.state import State

_Idle = tuple[tuple[str, tuple[int, ...]], ...]
_Key = tuple[tuple[int, ...], bool, Point, _Idle]


class Family(msgspec.Struct, frozen=True, eq=False):
    """Classes that request the same devices and can run on the same nodes."""

    device: str
    count: int
    least: int
    kinds: frozenset[str] | None
    crowd: Crowd
    """The classes, by their other requests: see `Metric.levels`."""


class Metric:
    """Expected fragment over classes, cached by state.

    States repeat: nodes are alike, and free resources matter only by the classes that fit. So the
    classes that fit identify a state, not its bytes and cores.
    """

    def __init__(self, classes: Iterable[Class]) -> None:
        self.classes = tuple(classes)
        self.weight = sum(class_.weight for class_ in self.classes)
        """The weight of all classes."""
        self.names = tuple(
            sorted({name for size_class in self.classes for name in size_class.requests} - {PODS})
        )
        """Resources that classes request besides devices and pod slots."""
        self._levels = [
            sorted(
                {
                    size_class.requests[name]
                    for size_class in self.classes
                    if name in size_class.requests
                }
            )
            for name in self.names
        ]
        self._families = self._gathered()
        self._kinds: dict[str, tuple[int, ...]] = {}
        self._amounts: dict[_Key, int] = {}

    def amount(self, state: State) -> int:
        """Return the expected fragment of a node in thousandths of a GPU, times `weight`: exact."""
        key = self._key(state)
        amount = self._amounts.get(key)
        if amount is None:
            amount = self._amounts[key] = self._compute(*key)
        return amount

    def expected(self, states: Iterable[State]) -> float:
        """Return the expected fragment of nodes in thousandths of a GPU; 0 without classes."""
        return sum(map(self.amount, states)) / self.weight if self.weight else 0.0

    def families(self, kind: str) -> list[Family]:
        """Return the classes that can run on nodes of a kind."""
        return [self._families[index] for index in self._able(kind)]

    def levels(self, state: State) -> Point:
        """Return, by resource, how many of the amounts that any class requests a node has free."""
        named_levels = zip(self.names, self._levels, strict=True)
        return tuple(bisect_right(level, state.free.get(name, 0)) for name, level in named_levels)

    def _gathered(self) -> tuple[Family, ...]:
        points: dict[tuple[str, int, int, frozenset[str] | None], dict[Point, int]] = {}
        for class_ in self.classes:
            if class_.count and class_.weight:
                key = class_.device, class_.count, class_.least, class_.kinds
                point_weights = points.setdefault(key, {})
                point = tuple(
                    bisect_right(level, class_.requests[name]) if name in class_.requests else 0
                    for name, level in zip(self.names, self._levels, strict=True)
                )
                point_weights[point] = point_weights.get(point, 0) + class_.weight
        return tuple(Family(*key, Crowd(list(weights.items()))) for key, weights in points.items())

    def _key(self, state: State) -> _Key:
        """Return the parts of a state that make a difference to any class."""
        idle = [
            (name, tuple(sorted(idle_shares))) for name, idle_shares in sorted(state.idle.items())
        ]
        return self._able(state.kind), state.free.get(PODS, 1) > 0, self.levels(state), tuple(idle)

    def _able(self, kind: str) -> tuple[int, ...]:
        able = self._kinds.get(kind)
        if able is None:
            able = self._kinds[kind] = tuple(
                index
                for index, family in enumerate(self._families)
                if family.kinds is None or kind in family.kinds
            )
        return able

    def _compute(self, able: tuple[int, ...], pods: bool, levels: Point, idle: _Idle) -> int:
        fragmented = self.weight * sum([sum(idle_shares) for _, idle_shares in idle])
        if not pods:
            return fragmented
        devices = dict(idle)
        enough: dict[tuple[str, int], tuple[int, int]] = {}
        for index in able:
            family = self._families[index]
            count_and_sum = enough.get((family.device, family.least))
            if count_and_sum is None:
                fit = [
                    idle_share
                    for idle_share in devices.get(family.device, ())
                    if idle_share >= family.least
                ]
                count_and_sum = enough[family.device, family.least] = len(fit), sum(fit)
            if count_and_sum[0] >= family.count:
                fragmented -= family.crowd.within(levels) * count_and_sum[1]
        return fragmented
