"""The most that a queue can use of a pool: its own quota, and quota that its cohort and the parent
cohorts lend.

As Kueue 0.19 computes it with all others idle (pkg/cache/scheduler/resource_node.go, of which this
is `potentialAvailable`): each member lends to its cohort up to `lend`, and borrows from it up to
`borrow`.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gpuspec.spec import ClusterProfileSpec, Cohort, Queue, QueuePool

Amounts = dict[str, int]


class CohortShare(NamedTuple):
    """A member's quota in a pool, with its limits; a resource without a limit is unlimited."""

    own: Mapping[str, int]
    lend: Mapping[str, int] | None
    borrow: Mapping[str, int] | None


Measure = Callable[[QueuePool], CohortShare]


def reach(spec: ClusterProfileSpec, queue: Queue, pool: str, measure: Measure) -> Amounts:
    """Return the most that a queue may use of a pool, of every resource, in the units of
    `measure`."""
    share = _share(queue, pool, measure)
    return _Tree(spec, pool, measure).reach(share, dict(share.own), queue.cohort)


def root(spec: ClusterProfileSpec, cohort: str) -> str:
    """Return the root of a cohort's tree."""
    above = {cohort.name: cohort.parent for cohort in spec.cohorts}
    while parent := above.get(cohort):
        cohort = parent
    return cohort


class _Tree:
    """The cohorts of one pool."""

    def __init__(self, spec: ClusterProfileSpec, pool: str, measure: Measure) -> None:
        self._spec, self._pool, self._measure = spec, pool, measure
        self._cohorts = {cohort.name: cohort for cohort in spec.cohorts}

    def reach(self, share: CohortShare, below: Amounts, parent: str | None) -> Amounts:
        """Return the most that a member can use; `below` is its quota with that of its members."""
        if parent is None:
            return below
        above = self._of(parent)
        cohort = self._cohorts.get(parent)
        their = self._share(parent)
        lent = _given(share, below)
        most = Counter(below)
        most.subtract(lent)
        most.update(self.reach(their, above, cohort.parent if cohort else None))
        return {
            name: min(amount, below.get(name, 0) + share.borrow[name])
            if share.borrow is not None and name in share.borrow
            else amount
            for name, amount in most.items()
        }

    def _of(self, cohort: str) -> Amounts:
        """Return the quota of a cohort, with the lendable quota of its members."""
        lendable = Counter(self._share(cohort).own)
        for other_cohort in self._spec.cohorts:
            if other_cohort.parent == cohort:
                lendable.update(_given(self._share(other_cohort.name), self._of(other_cohort.name)))
        for queue in self._spec.queues:
            if queue.cohort == cohort:
                share = _share(queue, self._pool, self._measure)
                lendable.update(_given(share, share.own))
        return dict(lendable)

    def _share(self, cohort: str) -> CohortShare:
        member = self._cohorts.get(cohort)
        return _NOTHING if member is None else _share(member, self._pool, self._measure)


_NOTHING = CohortShare({}, None, None)


def _share(member: Queue | Cohort, pool: str, measure: Measure) -> CohortShare:
    part = next((queue_pool for queue_pool in member.pools if queue_pool.pool == pool), None)
    return _NOTHING if part is None else measure(part)


def _given(share: CohortShare, amounts: Mapping[str, int]) -> Amounts:
    """Return the part of a member's quota that it lends."""
    limits = share.lend or {}
    return {name: min(amount, limits.get(name, amount)) for name, amount in amounts.items()}
