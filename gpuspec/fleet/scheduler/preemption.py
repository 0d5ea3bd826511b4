"""Whether removing pods of lower priority frees one node for a pod, and which pods those are.

Source: Kubernetes 1.37, the scheduler's plugin DefaultPreemption. Disruption budgets are not
known: the scheduler prefers nodes whose victims no budget protects, and breaks budgets if it must.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.requests import PODS
from gpuspec.fleet.scheduler.verdict import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
    from gpuspec.fleet.scheduler.verdict import Verdict

NO_HELP = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NEVER = "not eligible due to preemptionPolicy=Never."
_NONE = NodeRejection("DefaultPreemption", (NO_VICTIMS,))


class Candidate(msgspec.Struct, frozen=True):
    """A node that takes the pod once these pods are gone, most important first."""

    node: int
    victims: tuple[RunningPod, ...]


class Preemption(msgspec.Struct, frozen=True):
    """What preemption can do for a pod that no node takes."""

    total: int
    never: bool
    """The pod's own policy forbids it."""
    candidates: tuple[Candidate, ...]
    """The best first."""
    best: int
    """How many of the first are equally good: the scheduler takes any of them."""
    refused: Mapping[NodeRejection, int]
    """The reasons why it does not help on nodes where it could, with their number."""

    @property
    def helps(self) -> bool:
        """Whether one node can be freed."""
        return bool(self.candidates)

    def counts(self) -> dict[str, int]:
        """Return nodes by reason, in the scheduler's words."""
        counts_by_text = counted(self.refused.items())
        rest = self.total - sum(self.refused.values()) - len(self.candidates)
        if rest:
            counts_by_text[NO_HELP] += rest
        return dict(counts_by_text)


def preempt(
    verdict: Verdict, snapshot: Snapshot, filter_chain: FilterChain | None = None
) -> Preemption:
    """Return what removing pods of lower priority from one node does for a pod that no node takes.

    Victims are as few important pods of a node as possible: all of lower priority are removed, and
    added again one by one as long as the pod still fits, the most important first. `filter_chain`
    saves the setup, as in `feasible`; it and the snapshot are unchanged when this returns.
    """
    shape = verdict.shape
    if verdict.failure is not None or verdict.unjudged is not None:
        return Preemption(verdict.total, False, (), 0, {})
    if not shape.preempts:
        return Preemption(verdict.total, True, (), 0, {})
    if not any(
        count and priority < shape.priority for priority, count in snapshot.priorities.items()
    ):
        nowhere = sum(count for refusal, count in verdict.told() if refusal.resolvable)
        return Preemption(verdict.total, False, (), 0, {_NONE: nowhere} if nowhere else {})
    filter_chain = filter_chain or FilterChain(shape, snapshot)
    candidates: list[Candidate] = []
    refused: Counter[NodeRejection] = Counter()
    for index, refusal in verdict.refusals.items():
        if refusal.resolvable:
            preemption = _on_node(filter_chain, index)
            if isinstance(preemption, Candidate):
                candidates.append(preemption)
            else:
                refused[preemption] += 1
    candidates.sort(key=_rank)
    best = sum(_rank(candidate) == _rank(candidates[0]) for candidate in candidates)
    return Preemption(verdict.total, False, tuple(candidates), best, refused)


def _on_node(filter_chain: FilterChain, index: int) -> Candidate | NodeRejection:
    """Return the victims on one node, or why preemption does not help."""
    snapshot, priority = filter_chain.snapshot, filter_chain.shape.priority
    lower = [pod for pod in snapshot.pods[index] if pod.shape.priority < priority]
    if not lower:
        return _NONE
    lower.sort(key=_importance)
    used = dict(snapshot.used[index])
    gone: list[RunningPod] = []
    try:
        for pod in lower:
            _take(filter_chain, index, used, pod, -1)
            gone.append(pod)
        refusal = filter_chain.refusal(index, used)
        if refusal is not None:
            return refusal
        for pod in lower:
            _take(filter_chain, index, used, pod, 1)
            gone.remove(pod)
            if filter_chain.refusal(index, used) is not None:
                _take(filter_chain, index, used, pod, -1)
                gone.append(pod)
        # Where it fits beside all of them, as a gang's pod may once the others let go, none need go.
        return Candidate(index, tuple(gone)) if gone else _NONE
    finally:
        for pod in gone:
            filter_chain.moved(index, pod, 1)


def _take(
    filter_chain: FilterChain, index: int, used: dict[str, int], pod: RunningPod, by: int
) -> None:
    used[PODS] = used.get(PODS, 0) + by
    for name, amount in pod.shape.requests.items():
        used[name] = used.get(name, 0) + by * amount
    filter_chain.moved(index, pod, by)


def _importance(pod: RunningPod) -> tuple[int, bool, str]:
    """Return higher priority first, then those that have run longer."""
    return -pod.shape.priority, not pod.started, pod.started


def _rank(candidate: Candidate) -> tuple[int, int, int, str]:
    """Return the least important victims first, then the fewest; then those that started last.

    Of the most important victims of a node the one that has run longest counts.
    """
    priorities = [pod.shape.priority for pod in candidate.victims]
    highest = max(priorities)
    # Negative priorities must not make many victims better than few.
    total = sum(priority + 2**31 for priority in priorities)
    oldest = _oldest(pod for pod in candidate.victims if pod.shape.priority == highest)
    return highest, total, len(priorities), _reversed(oldest)


def _oldest(pods: Iterable[RunningPod]) -> str:
    return min((pod.started or "~" for pod in pods), default="~")


def _reversed(time: str) -> str:
    """Return a text that sorts in reverse order."""
    return "".join(chr(0x10FFFF - ord(letter)) for letter in time)
