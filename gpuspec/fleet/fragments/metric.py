"""Expected fragment: idle GPU capacity that a class of work drawn by demand cannot use.

After Weng et al., Beware of Fragmentation, USENIX ATC 2023. Everything is counted in whole
thousandths of a GPU times whole weights, so that sums and differences are exact and the order of
their terms changes nothing; only `expected` divides.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from gpuspec.fleet.fragments.state import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.fleet.fragments.classes import Class
    from gpuspec.fleet.fragments.state import State

_Idle = tuple[tuple[str, tuple[int, ...]], ...]
_Key = tuple[tuple[int, ...], bool, tuple[int, ...], _Idle]
_Asks = tuple[int, str, int, int, tuple[tuple[int, int], ...]]


class Metric:
    """Expected fragment over classes; remembers what it has found of each state.

    States repeat: nodes are alike, and of what is free it matters only which classes it is enough
    for. So a state is known by that, not by its bytes and cores.
    """

    def __init__(self, classes: Iterable[Class]) -> None:
        self.classes = tuple(classes)
        self.weight = sum(one.weight for one in self.classes)
        """Of all classes."""
        names = sorted({name for one in self.classes for name in one.requests} - {PODS})
        self._levels = [
            (name, sorted({one.requests[name] for one in self.classes if name in one.requests}))
            for name in names
        ]
        self._asks = [self._ask(one) for one in self.classes]
        self._kinds: dict[str, tuple[int, ...]] = {}
        self._amounts: dict[_Key, int] = {}

    def amount(self, state: State) -> int:
        """Expected fragment of a node in thousandths of a GPU, times `weight`: exact."""
        key = self._key(state)
        found = self._amounts.get(key)
        if found is None:
            found = self._amounts[key] = self._compute(*key)
        return found

    def expected(self, states: Iterable[State]) -> float:
        """Expected fragment of nodes, in thousandths of a GPU; 0 without classes."""
        return sum(map(self.amount, states)) / self.weight if self.weight else 0.0

    def _key(self, state: State) -> _Key:
        """All of a state that any class can tell apart."""
        free = state.free
        levels = [bisect_right(level, free.get(name, 0)) for name, level in self._levels]
        idle = [(name, tuple(sorted(each))) for name, each in sorted(state.idle.items())]
        able = self._kinds.get(state.kind)
        if able is None:
            able = self._kinds[state.kind] = self._able(state.kind)
        return able, free.get(PODS, 1) > 0, tuple(levels), tuple(idle)

    def _able(self, kind: str) -> tuple[int, ...]:
        return tuple(
            index
            for index, one in enumerate(self.classes)
            if one.count and (one.kinds is None or kind in one.kinds)
        )

    def _ask(self, one: Class) -> _Asks:
        needs = tuple(
            (index, level.index(one.requests[name]) + 1)
            for index, (name, level) in enumerate(self._levels)
            if name in one.requests
        )
        return one.weight, one.device, one.count, one.least, needs

    def _compute(
        self, able: tuple[int, ...], pods: bool, levels: tuple[int, ...], idle: _Idle
    ) -> int:
        found = self.weight * sum([sum(each) for _, each in idle])
        if not pods:
            return found
        devices = dict(idle)
        enough: dict[tuple[str, int], tuple[int, int]] = {}
        for index in able:
            weight, device, count, least, needs = self._asks[index]
            for resource, level in needs:
                if levels[resource] < level:
                    break
            else:
                known = enough.get((device, least))
                if known is None:
                    fit = [left for left in devices.get(device, ()) if left >= least]
                    known = enough[device, least] = len(fit), sum(fit)
                if known[0] >= count:
                    found -= weight * known[1]
        return found
