"""The nodes of a fleet that accept a pod, and why the others do not."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.claims.faults import Failed, Unjudged
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.filters.dynamic_resources import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gpuspec.fleet.claims.model import Claim
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

__all__ = ["NodeRejection", "Verdict", "feasible"]


class Verdict(msgspec.Struct, frozen=True):
    """The filters' verdict on a pod for a fleet."""

    shape: Shape
    total: int
    """Nodes of the fleet."""
    nodes: tuple[int, ...]
    """The indexes in the snapshot of nodes that accept the pod."""
    refusals: Mapping[int, NodeRejection]
    """Why each of the others does not; empty with a `conflict`."""
    conflict: str | None = None
    """The scheduler's message if it rejects the pod before it checks any node."""
    known: tuple[tuple[NodeRejection, int], ...] | None = None
    """Each refusal with its number of nodes, if they are already counted."""
    failure: str | None = None
    """The scheduler's message if it gives up on the pod at some node: then no node takes it."""
    unjudged: str | None = None
    """Why there is no verdict; some node may still take the pod."""

    @property
    def fits(self) -> bool:
        """Whether some node takes the pod now."""
        return bool(self.nodes)

    @property
    def held(self) -> bool:
        """Whether the scheduler does not process it: it waits for a scheduling gate."""
        return bool(self.shape.gates)

    def counts(self) -> dict[str, int]:
        """Return nodes by reason, in the scheduler's words; a node can lack several resources."""
        return dict(counted(self.told()))

    def told(self) -> Iterable[tuple[NodeRejection, int]]:
        """Return refusals with their number of nodes; a refusal may appear several times."""
        if self.known is not None:
            return self.known
        # Most are the same objects, and to count these is faster than to compare what they say.
        rejections = {id(refusal): refusal for refusal in self.refusals.values()}
        counts = Counter(map(id, self.refusals.values()))
        return [(rejections[key], count) for key, count in counts.items()]


def counted(
    rejections: Iterable[tuple[NodeRejection, int]],
    words: Callable[[NodeRejection], Iterable[str]] | None = None,
) -> Counter[str]:
    """Return the number of nodes by reason, in the scheduler's newest words or in others."""
    counts_by_text: Counter[str] = Counter()
    for refusal, count in rejections:
        for word in refusal.reasons if words is None else words(refusal):
            counts_by_text[word] += count
    return counts_by_text


def feasible(shape: Shape, snapshot: Snapshot, filter_chain: FilterChain | None = None) -> Verdict:
    """Return which nodes accept a pod of a shape, and why the others do not.

    `filter_chain` saves the setup, if one exists for the shape and this snapshot.

    A pod that names its node never reaches the scheduler, and runs there even without free
    resources; for such a pod this returns the filters' verdict.
    """
    filter_chain = filter_chain or FilterChain(shape, snapshot)
    total = len(snapshot.nodes)
    if filter_chain.conflict is not None:
        return Verdict(shape, total, (), {}, filter_chain.conflict)
    verdict = look(filter_chain)
    idle = in_the_way(verdict, snapshot)
    if not idle or snapshot.devices is None:
        return verdict
    other_snapshot = copy(snapshot)
    other_snapshot.devices = snapshot.devices.copy()
    for claim in idle:
        other_snapshot.devices.drop(claim)
    return look(FilterChain(shape, other_snapshot))


def in_the_way(verdict: Verdict, snapshot: Snapshot) -> tuple[Claim, ...]:
    """Return the unused claims of a pod that no node takes, with devices elsewhere: the scheduler
    deallocates them, and tries again."""
    devices = snapshot.devices
    if verdict.fits or devices is None or not verdict.shape.claims:
        return ()
    away = any(refusal is ELSEWHERE for refusal in verdict.refusals.values())
    return devices.idle(verdict.shape.claims) if away else ()


def look(filter_chain: FilterChain) -> Verdict:
    """Return the filters' first verdict, before the scheduler reacts to it."""
    shape, total = filter_chain.shape, len(filter_chain.snapshot.nodes)
    taking: list[int] = []
    refusals: dict[int, NodeRejection] = {}
    for index in range(total):
        try:
            node_rejection = filter_chain.refusal(index)
        except Failed as failed:
            return Verdict(shape, total, (), {}, failure=str(failed))
        except Unjudged as unjudged:
            return Verdict(shape, total, (), {}, unjudged=str(unjudged))
        if node_rejection is None:
            taking.append(index)
        else:
            refusals[index] = node_rejection
    return Verdict(shape, total, tuple(taking), refusals)
