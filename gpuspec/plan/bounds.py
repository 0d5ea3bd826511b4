"""The limit of a Volcano or KAI queue over all of its pools.

A resource without known amounts has no limit.
"""

from collections.abc import Iterable, Iterator

from gpuspec.plan.quotas import Amounts, own, quota, unbounded
from gpuspec.spec import Pool, Profile, Queue, QueuePool


def most_of(profile: Profile, queue: Queue) -> Amounts | None:
    """Return a queue's limit; None if it may borrow without a limit."""
    if most_gpus(queue) is None:
        return None
    totals = []
    for pool, part in parts_in(profile, queue.pools):
        totals += [bounded_own(pool, part), bounded_quota(pool, part.borrow or 0)]
    return total(totals)


def most_gpus(queue: Queue) -> int | None:
    """Return a queue's limit in GPUs."""
    if queue.cohort is not None and any(part.borrow is None for part in queue.pools):
        return None
    return sum(part.gpus + (part.borrow or 0) for part in queue.pools)


def parts_in(profile: Profile, parts: Iterable[QueuePool]) -> Iterator[tuple[Pool, QueuePool]]:
    """Yield the parts of a queue, each with its pool."""
    pools = {pool.name: pool for pool in profile.spec.pools}
    for part in parts:
        yield pools[part.pool], part


def bounded_own(pool: Pool, part: QueuePool) -> Amounts:
    """Return a queue's own quota in a pool."""
    has, free = own(pool, part), {*unbounded(pool)} - {*part.quotas}
    return {name: n for name, n in has.items() if name not in free}


def bounded_quota(pool: Pool, gpus: int) -> Amounts:
    """Return the other resources for this number of GPUs of a pool."""
    return {name: n for name, n in quota(pool, gpus).items() if name not in unbounded(pool)}


def total(amounts: Iterable[Amounts]) -> Amounts:
    """Return the sum of several amounts."""
    total_amounts: Amounts = {}
    for amounts_of_pool in amounts:
        for name, amount in amounts_of_pool.items():
            total_amounts[name] = total_amounts.get(name, 0) + amount
    return total_amounts
