"""Queues of Volcano and of KAI: guaranteed quota, borrowing, and the tree of cohorts.

Volcano counts any resource by its name; its plugin `capacity` gives each queue its `deserved`
amount, and reclaims it from others. KAI counts GPUs, CPU in thousandths and memory in millions of
bytes; a missing limit is 0. In both a cohort is a parent queue, which accepts no workloads itself.

Sources: volcano-sh/volcano v1.15.1 (Queue of scheduling.volcano.sh/v1beta1,
pkg/scheduler/plugins/capacity); NVIDIA/KAI-Scheduler at 72de64fc8 (pkg/apis/scheduling/v2,
docs/queues).
"""

import math
from collections.abc import Iterator
from typing import Any

from gpuspec.plan.bounds import bounded_own, bounded_quota, most_gpus, most_of, parts_in, total
from gpuspec.plan.quotas import Amounts, as_quantity
from gpuspec.spec import Cohort, Profile, Queue, QueuePool
from gpuspec.spec.queue_systems import KAI, VOLCANO, queue_systems

Object = dict[str, Any]
Holder = Queue | Cohort
_UNLIMITED = -1


def scheduler_queues(profile: Profile) -> list[Object]:
    """Return the queues of the profile's scheduler, cohorts before their members."""
    makers = {VOLCANO: _volcano, KAI: _kai}
    return [
        makers[system](profile, holder)
        for system in queue_systems(profile.spec)
        if system in makers
        for holder in _holders(profile)
    ]


def scheduler_notes(profile: Profile) -> Iterator[str]:
    """Yield further settings of the scheduler, and facts that its queues do not contain."""
    systems = [
        queue_system
        for queue_system in queue_systems(profile.spec)
        if queue_system in (VOLCANO, KAI)
    ]
    if not profile.spec.queues:
        return
    if VOLCANO in systems:
        yield (
            "queues of Volcano: its scheduler's configuration has the plugin `capacity`, in place of "
            "`proportion`; with cohorts also `enableHierarchy: true`"
        )
    for queue in profile.spec.queues:
        if systems and queue.weight is not None and queue.weight.value.denominator != 1:
            yield f"weight {queue.weight} of queue {queue.name} is rounded up: it is a whole number there"


def _holders(profile: Profile) -> list[Holder]:
    """Return cohorts, with those that are only a name, and queues that are not created
    elsewhere."""
    spec = profile.spec
    queues = [queue for queue in spec.queues if not queue.existing]
    names = {cohort.name for cohort in spec.cohorts}
    named = dict.fromkeys(
        queue.cohort for queue in queues if queue.cohort and queue.cohort not in names
    )
    return [*spec.cohorts, *(Cohort(name=name) for name in named if name), *queues]


def _volcano(profile: Profile, holder: Holder) -> Object:
    """Return a Volcano queue: quota as `deserved`, quota plus borrowing as `capability`, and the
    part that it does not lend as `guarantee`."""
    spec: Object = {"weight": _weight(holder)}
    if parent := _above(holder):
        spec["parent"] = parent
    if deserved := _has(profile, holder):
        spec["deserved"] = _quantities(deserved)
    if isinstance(holder, Queue):
        if (most := most_of(profile, holder)) is not None:
            spec["capability"] = _quantities(most)
        if amounts := _kept(profile, holder):
            spec["guarantee"] = {"resource": _quantities(amounts)}
        if holder.order == "strict":
            spec["dequeueStrategy"] = "fifo"
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": holder.name},
        "spec": spec,
    }


def _kai(profile: Profile, holder: Holder) -> Object:
    """Return a KAI queue with whole GPUs; CPU and memory follow the GPUs, and have no limits of
    their own."""
    weight = _weight(holder)
    has = sum(part.gpus for part in _parts(profile, holder))
    most = most_gpus(holder) if isinstance(holder, Queue) else None
    gpu = {"quota": has, "overQuotaWeight": weight, "limit": _UNLIMITED if most is None else most}
    free = {"quota": _UNLIMITED, "overQuotaWeight": weight, "limit": _UNLIMITED}
    spec: Object = {"resources": {"gpu": gpu, "cpu": free, "memory": dict(free)}}
    if parent := _above(holder):
        spec["parentQueue"] = parent
    return {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": holder.name},
        "spec": spec,
    }


def _above(holder: Holder) -> str | None:
    return holder.cohort if isinstance(holder, Queue) else holder.parent


def _weight(holder: Holder) -> int:
    return 1 if holder.weight is None else max(1, math.ceil(holder.weight.value))


def _parts(profile: Profile, holder: Holder) -> list[QueuePool]:
    """Return the quota of a queue or cohort including its members; no member gets more than its
    parents have."""
    below = [one for one in _holders(profile) if one is not holder and _above(one) == holder.name]
    inner = [part for one in below for part in _parts(profile, one)]
    return [*holder.pools, *(inner if isinstance(holder, Cohort) else ())]


def _has(profile: Profile, holder: Holder) -> Amounts:
    return total(
        bounded_own(pool, part) for pool, part in parts_in(profile, _parts(profile, holder))
    )


def _kept(profile: Profile, queue: Queue) -> Amounts:
    """Return the part of the quota that is not lent even while it is idle."""
    kept = [
        bounded_quota(pool, part.gpus - part.lend)
        for pool, part in parts_in(profile, queue.pools)
        if part.lend is not None and part.lend < part.gpus
    ]
    return total(kept)


def _quantities(amounts: Amounts) -> dict[str, str]:
    return {name: as_quantity(name, amount) for name, amount in amounts.items() if amount}
