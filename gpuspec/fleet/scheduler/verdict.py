"""Which nodes of a fleet take a pod, and why the others do not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.scheduler.filters.base import Refusal
from gpuspec.fleet.scheduler.sieve import Sieve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

__all__ = ["Refusal", "Verdict", "feasible"]


class Verdict(msgspec.Struct, frozen=True):
    """What the filters say of a pod on a fleet."""

    shape: Shape
    total: int
    """Nodes of the fleet."""
    nodes: tuple[int, ...]
    """Those that take the pod, by their place in the snapshot."""
    refusals: Mapping[int, Refusal]
    """Why each of the others does not; none are told where `conflict` is."""
    conflict: str | None = None
    """What keeps it off all nodes before any is looked at, in the scheduler's words."""

    @property
    def fits(self) -> bool:
        """Whether some node takes the pod now."""
        return bool(self.nodes)

    @property
    def held(self) -> bool:
        """Whether the scheduler does not even look at it: it waits for a gate to open."""
        return bool(self.shape.gates)

    def counts(self) -> dict[str, int]:
        """Nodes by reason, in the scheduler's words; a node can lack several resources."""
        return dict(counted(self.refusals.values()))


def counted(
    refusals: Iterable[Refusal], words: Callable[[Refusal], Iterable[str]] | None = None
) -> Counter[str]:
    """Nodes by reason, in the scheduler's newest words or in others."""
    found: Counter[str] = Counter()
    for refusal, many in Counter(refusals).items():
        for word in refusal.reasons if words is None else words(refusal):
            found[word] += many
    return found


def feasible(shape: Shape, snapshot: Snapshot, sieve: Sieve | None = None) -> Verdict:
    """Which nodes take a pod of a shape, and why the others do not.

    `sieve` saves the setting up, where one is kept for the shape and this snapshot.

    A pod that names its node itself never reaches the scheduler, and goes there whatever is free;
    of it this tells what the filters would say.
    """
    sieve = sieve or Sieve(shape, snapshot)
    total = len(snapshot.nodes)
    if sieve.conflict is not None:
        return Verdict(shape, total, (), {}, sieve.conflict)
    taking: list[int] = []
    refusals: dict[int, Refusal] = {}
    for index in range(total):
        found = sieve.refusal(index)
        if found is None:
            taking.append(index)
        else:
            refusals[index] = found
    return Verdict(shape, total, tuple(taking), refusals)
