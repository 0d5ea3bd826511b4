"""Whether a queue of the profile can ever admit a workload: else it would pend for ever.

Kueue accepts a Job for a queue that is not there, or that is too small for it, and says nothing.
"""

import math

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Quantity
from gpuspec.plan import other_resources
from gpuspec.plan.bounds import most_of
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.device_claims import is_claimed
from gpuspec.plan.devices import device
from gpuspec.plan.distribution import at_once
from gpuspec.plan.leaf import Leaf, Note, Origin
from gpuspec.plan.needs import needs
from gpuspec.plan.quotas import CPU, DISK, MEMORY, PODS, Amounts, in_words, usable
from gpuspec.plan.resources import resources
from gpuspec.plan.words import count
from gpuspec.spec import BatchInferenceSpec, Queue, find_queue


def refused(case: Case) -> list[Refused]:
    """Why no queue of the profile admits the workload; nothing where the profile lists none."""
    name = getattr(case.spec, "queue", None)
    if name is None or not case.profile.spec.queues:
        return []
    place = case.workload.place(("spec", "queue"))
    namespace = case.workload.namespace
    named = [queue for queue in case.profile.spec.queues if queue.name == name]
    open_to = [queue.name for queue in case.profile.spec.queues if namespace in queue.namespaces]
    listed = f"queues of namespace {namespace}: {', '.join(open_to) or 'none'}"
    hint = did_you_mean(name, open_to) or listed
    if not named:
        return [Refused(f"the profile has no queue `{name}`", place, hint)]
    queue = queue_of(case)
    if queue is None:
        admits = ", ".join(space for each in named for space in each.namespaces)
        text = f"queue {name} admits from namespace {admits}, and not from {namespace}"
        return [Refused(text, place, hint)]
    if not queue.pools:  # it is made elsewhere, and what it has is not known
        return []
    pools = _pools(case, queue)
    if not pools:
        can = " and ".join(chosen.pool.name for chosen in case.pools)
        has = " and ".join(part.pool for part in queue.pools)
        text = f"queue {name} hands out GPUs of pool {has}, and only {can} can carry it"
        others = [
            other.name
            for other in case.profile.spec.queues
            if namespace in other.namespaces and _pools(case, other)
        ]
        better = f"queues of namespace {namespace} that do: {', '.join(others)}" if others else None
        return [Refused(text, place, better)]
    return _too_large(case, queue, pools)


def unknown(case: Case) -> list[Refused]:
    """A queue that a scheduler is asked for, and that is none of the profile's, where it lists any."""
    name, queues = getattr(case.spec, "queue", None), case.profile.spec.queues
    names = [queue.name for queue in queues]
    if name is None or not queues or name in names:
        return []
    hint = did_you_mean(name, names) or f"queues: {', '.join(names)}"
    return [
        Refused(f"the profile has no queue `{name}`", case.workload.place(("spec", "queue")), hint)
    ]


def beyond(case: Case, *, gpus_alone: bool) -> list[Refused]:
    """Pods that start together, and are more than a queue of Volcano's or KAI's may ever use.

    `gpus_alone`: whether its limit is of GPUs alone.
    """
    name = getattr(case.spec, "queue", None)
    queue = next((one for one in case.profile.spec.queues if one.name == name), None)
    if queue is None or not queue.pools or (most := most_of(case.profile, queue)) is None:
        return []
    # Pieces of a batch start one by one.
    alone = isinstance(case.spec, BatchInferenceSpec)
    pods, every = (1, _pod(case)) if alone else (case.workers, _all(case))
    asked = {name: amount for name, amount in every.items() if name in most}
    if is_claimed(case):  # neither counts devices of claims
        asked.pop(device(case), None)
    if gpus_alone:
        asked = {name: amount for name, amount in asked.items() if name == device(case)}
    resource = _over(asked, most, {})
    if resource is None:
        return []
    text = (
        f"{_told(case, pods, resource, asked[resource])}, and queue {queue.name} may use "
        f"{in_words(resource, most[resource])}"
    )
    return [Refused(text, case.workload.place(_path(case)))]


def _told(case: Case, pods: int, resource: str, amount: int) -> str:
    """What pods ask of a resource, with the sum."""
    each = _pod(case)[resource]
    beside = amount - pods * each
    more = f" and {in_words(resource, beside)} of roles" if beside else ""
    words = f"{count(pods, 'pod')} × {in_words(resource, each)} {resource}{more}"
    return f"{words} = {in_words(resource, amount)}"


def admission_notes(case: Case) -> list[Note]:
    """How much of its queue the workload takes, for `explain`."""
    queue = queue_of(case)
    if queue is None:
        return []
    asked, origin = _all(case), Origin("spec", ("spec", "queue"))
    notes: list[Note] = []
    for pool in _pools(case, queue):
        own, lent = usable(case.profile, queue, pool)
        if _over(asked, own, lent) is None:
            device = next(name for name in asked if name not in (CPU, MEMORY, DISK))
            text = (
                f"queue {queue.name} can admit it on pool {pool}: {asked[device]} {device} of the "
                f"{own[device]} it has and {lent[device]} it may borrow"
            )
            notes.append(Note(text, origin))
    return notes


def queue_of(case: Case) -> Queue | None:
    """The profile's queue that the workload waits in."""
    name = getattr(case.spec, "queue", None)
    return find_queue(case.profile.spec.queues, name, case.workload.namespace)


def _pools(case: Case, queue: Queue) -> list[str]:
    """The pools that can carry the workload and that its queue hands out, in the queue's order."""
    can = {chosen.pool.name for chosen in case.pools}
    return [part.pool for part in queue.pools if part.pool in can]


def _too_large(case: Case, queue: Queue, pools: list[str]) -> list[Refused]:
    """A reason for each pool when none is enough: all pods are admitted to one of them."""
    asked, reasons = _all(case), []
    for pool in pools:
        own, lent = usable(case.profile, queue, pool)
        name = _over(asked, own, lent)
        if name is None:
            return []
        mine, more = own.get(name, 0), lent.get(name, 0)
        most = in_words(name, mine + more)
        if more:
            most += f" ({in_words(name, mine)} its own, {in_words(name, more)} borrowed)"
        text = (
            f"{_told(case, _pods(case), name, asked[name])}, and queue {queue.name} may use {most} of "
            f"pool {pool}"
        )
        hint = _less(case)
        if name in other_resources.asked(case.spec) and not mine + more:
            hint = "say in the pool's `allocatable` how much of it its nodes have: quotas follow"
        reasons.append(Refused(text, case.workload.place(_path(case)), hint))
    return reasons


def _over(asked: Amounts, own: Amounts, lent: Amounts) -> str | None:
    """A resource that is asked for beyond what the queue may ever use; devices before others."""
    over = [
        name
        for name in asked
        # Pods are counted where a queue says how many it takes.
        if (name != PODS or PODS in own) and asked[name] > own.get(name, 0) + lent.get(name, 0)
    ]
    return min(over, key=lambda name: name in (CPU, MEMORY, DISK)) if over else None


def _all(case: Case) -> Amounts:
    """What all pods ask of one pool. Roles without GPUs may be given another's, or none's."""
    pods = _pods(case)
    found = {name: amount * pods for name, amount in _pod(case).items()}
    for role in case.roles:
        asked = role.resources
        if asked.gpus:
            found[CPU] += role.count * math.floor(asked.cpu.value * 1000)
            found[MEMORY] += role.count * math.floor(asked.memory.value)
            found[DISK] += role.count * math.floor(asked.ephemeral_storage.value)
    found[device(case)] += case.gpus_of_roles
    found[PODS] += sum(role.count for role in case.roles if role.resources.gpus)
    return found


def _pod(case: Case) -> Amounts:
    """What one pod asks for, all its containers together, as the queue counts it."""
    asked = {
        name: Quantity.parse(leaf.value)
        for name, leaf in resources(case).counted.items()
        if isinstance(leaf, Leaf)
    }
    pod = needs(case).pod(
        cpu=math.floor(asked.pop(CPU).value * 1000),
        memory=math.floor(asked.pop(MEMORY).value),
        disk=math.floor(asked.pop(DISK).value),
        gpus=case.gpus,
    )
    devices = {name: math.floor(quantity.value) for name, quantity in asked.items()}
    return {CPU: pod.cpu, MEMORY: pod.memory, DISK: pod.disk or 0, **devices, PODS: 1}


def _pods(case: Case) -> int:
    """Pods that are admitted at once, the fewest that will do."""
    if isinstance(case.spec, BatchInferenceSpec):
        return case.spec.shards.min_parallelism or at_once(case.spec)
    return case.workers


def _path(case: Case) -> tuple[str, ...]:
    if isinstance(case.spec, BatchInferenceSpec):
        return ("spec", "shards", "parallelism")
    return (case.workers_path if case.workers > 1 else None) or ("spec", "gpu")


def _less(case: Case) -> str | None:
    if isinstance(case.spec, BatchInferenceSpec):
        return "write a smaller shards.parallelism, or a shards.minParallelism that fits"
    return None
