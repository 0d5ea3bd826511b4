"""Total and used amounts of nodes, in one fixed order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.requests import CPU, DISK, MEMORY, PODS

if TYPE_CHECKING:
    from collections.abc import Mapping

Amounts = tuple[int, ...]
SMOOTH = (CPU, MEMORY, DISK, PODS)
"""Resources whose use varies continuously; of others, mostly devices, few amounts occur. These come
first in every order."""
Limits = tuple[tuple[int, int], ...]
"""The highest use of each resource, by its index, at which a pod still fits."""


class Make:
    """The resources of nodes of one make; two are equal only if they are the same object."""

    __slots__ = ("amounts", "at", "have", "nothing")

    def __init__(self, have: Mapping[str, int]) -> None:
        self.have = have
        self.at = {name: at for at, name in enumerate(dict.fromkeys((*SMOOTH, *have)))}
        """The index of each resource."""
        self.amounts = self.of(have)
        self.nothing = (0,) * len(self.at)
        """The use of an empty node."""

    def of(self, amounts: Mapping[str, int]) -> Amounts:
        """Return amounts by name in the make's order, without resources that these nodes lack."""
        return tuple([amounts.get(name, 0) for name in self.at])

    def named(self, amounts: Amounts) -> dict[str, int]:
        """Return amounts by name."""
        return dict(zip(self.at, amounts, strict=True))

    def left(self, name: str, used: Amounts) -> int:
        """Return the free amount of a resource at this use."""
        at = self.at.get(name)
        return 0 if at is None else self.amounts[at] - used[at]

    def limits(self, requests: Mapping[str, int]) -> Limits:
        """Return the highest use at which a request still fits; below zero if it never fits."""
        index_amounts: list[tuple[int, int]] = []
        for name, amount in ((PODS, 1), *requests.items()):
            at = self.at.get(name)
            index_amounts.append((0, -1) if at is None else (at, self.amounts[at] - amount))
        # Devices run out first, so they are looked at first.
        return tuple(reversed(index_amounts))


def within(limits: Limits, used: Amounts) -> bool:
    """Return whether a pod with such limits fits at this use."""
    for at, most in limits:  # noqa: SIM110 - asked of every block, and twice as fast
        if used[at] > most:
            return False
    return True
