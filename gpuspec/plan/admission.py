"""Check whether a queue of the profile can ever admit a workload, which would otherwise stay
pending.

Kueue accepts a Job for a missing queue, or for one that is too small, without an error.
"""

import math

from gpuspec.enumeration import counted
from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Quantity
from gpuspec.plan import other_resources
from gpuspec.plan.bounds import most_of
from gpuspec.plan.decision import Decision, Note, Origin
from gpuspec.plan.device_claims import is_claimed
from gpuspec.plan.devices import device
from gpuspec.plan.distribution import at_once
from gpuspec.plan.needs import needs
from gpuspec.plan.quotas import CPU, DISK, MEMORY, PODS, Amounts, in_words, usable
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.resources import resources
from gpuspec.spec import BatchInferenceSpec, Queue, find_queue


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return why no queue of the profile admits the workload; empty if the profile lists no
    queues."""
    name = getattr(resolution.spec, "queue", None)
    if name is None or not resolution.profile.spec.queues:
        return []
    place = resolution.workload.place(("spec", "queue"))
    namespace = resolution.workload.namespace
    queues = [queue for queue in resolution.profile.spec.queues if queue.name == name]
    open_to = [
        queue.name for queue in resolution.profile.spec.queues if namespace in queue.namespaces
    ]
    listed = f"queues of namespace {namespace}: {', '.join(open_to) or 'none'}"
    hint = did_you_mean(name, open_to) or listed
    if not queues:
        return [RefusalReason(f"the profile has no queue `{name}`", place, hint)]
    queue = queue_of(resolution)
    if queue is None:
        admits = ", ".join(space for queue in queues for space in queue.namespaces)
        text = f"queue {name} admits from namespace {admits}, not from {namespace}"
        return [RefusalReason(text, place, hint)]
    if not queue.pools:  # it is made elsewhere, and what it has is not known
        return []
    pools = _pools(resolution, queue)
    if not pools:
        can = " and ".join(chosen.pool.name for chosen in resolution.pools)
        has = " and ".join(part.pool for part in queue.pools)
        text = f"queue {name} admits to pool {has}, and the workload can run only on {can}"
        others = [
            queue.name
            for queue in resolution.profile.spec.queues
            if namespace in queue.namespaces and _pools(resolution, queue)
        ]
        better = f"queues of namespace {namespace} that do: {', '.join(others)}" if others else None
        return [RefusalReason(text, place, better)]
    return _too_large(resolution, queue, pools)


def unknown(resolution: Resolution) -> list[RefusalReason]:
    """Return a refusal for a scheduler's queue that the profile lacks, if the profile lists
    queues."""
    name, queues = getattr(resolution.spec, "queue", None), resolution.profile.spec.queues
    names = [queue.name for queue in queues]
    if name is None or not queues or name in names:
        return []
    hint = did_you_mean(name, names) or f"queues: {', '.join(names)}"
    return [
        RefusalReason(
            f"the profile has no queue `{name}`", resolution.workload.place(("spec", "queue")), hint
        )
    ]


def beyond(resolution: Resolution, *, gpus_alone: bool) -> list[RefusalReason]:
    """Return a refusal for pods that start together and exceed the limit of their Volcano or KAI
    queue.

    `gpus_alone`: only GPUs are limited.
    """
    name = getattr(resolution.spec, "queue", None)
    queue = next(
        (
            profile_queue
            for profile_queue in resolution.profile.spec.queues
            if profile_queue.name == name
        ),
        None,
    )
    if queue is None or not queue.pools or (most := most_of(resolution.profile, queue)) is None:
        return []
    # Pieces of a batch start one by one.
    alone = isinstance(resolution.spec, BatchInferenceSpec)
    pods, every = (1, _pod(resolution)) if alone else (resolution.workers, _all(resolution))
    requested = {name: amount for name, amount in every.items() if name in most}
    if is_claimed(resolution):  # neither counts devices of claims
        requested.pop(device(resolution), None)
    if gpus_alone:
        requested = {
            name: amount for name, amount in requested.items() if name == device(resolution)
        }
    resource = _over(requested, most, {})
    if resource is None:
        return []
    text = (
        f"{_told(resolution, pods, resource, requested[resource])}, but queue {queue.name} "
        f"may use only {in_words(resource, most[resource])}"
    )
    return [RefusalReason(text, resolution.workload.place(_path(resolution)))]


def _told(resolution: Resolution, pods: int, resource: str, amount: int) -> str:
    """Return the request of each pod for a resource, with the total."""
    per_pod = _pod(resolution)[resource]
    beside = amount - pods * per_pod
    more = f" and {in_words(resource, beside)} of roles" if beside else ""
    words = f"{counted(pods, 'pod')} × {in_words(resource, per_pod)} {resource}{more}"
    return f"{words} = {in_words(resource, amount)}"


def admission_notes(resolution: Resolution) -> list[Note]:
    """Return the part of the queue that the workload takes, for `explain`."""
    queue = queue_of(resolution)
    if queue is None:
        return []
    requested, origin = _all(resolution), Origin("spec", ("spec", "queue"))
    notes: list[Note] = []
    for pool in _pools(resolution, queue):
        amounts, lent = usable(resolution.profile, queue, pool)
        if _over(requested, amounts, lent) is None:
            device = next(name for name in requested if name not in (CPU, MEMORY, DISK))
            text = (
                f"queue {queue.name} can admit the workload on pool {pool}: {requested[device]} "
                f"{device} of its {amounts[device]} plus {lent[device]} that it may borrow"
            )
            notes.append(Note(text, origin))
    return notes


def queue_of(resolution: Resolution) -> Queue | None:
    """Return the profile's queue of the workload."""
    name = getattr(resolution.spec, "queue", None)
    return find_queue(resolution.profile.spec.queues, name, resolution.workload.namespace)


def _pools(resolution: Resolution, queue: Queue) -> list[str]:
    """Return the pools that can run the workload and in which its queue has quota, in the queue's
    order."""
    can = {chosen.pool.name for chosen in resolution.pools}
    return [part.pool for part in queue.pools if part.pool in can]


def _too_large(resolution: Resolution, queue: Queue, pools: list[str]) -> list[RefusalReason]:
    """Return a reason for each pool if none is large enough: all pods are admitted to one pool."""
    requested, reasons = _all(resolution), []
    for pool in pools:
        amounts, lent = usable(resolution.profile, queue, pool)
        name = _over(requested, amounts, lent)
        if name is None:
            return []
        mine, more = amounts.get(name, 0), lent.get(name, 0)
        most = in_words(name, mine + more)
        if more:
            most += f" ({in_words(name, mine)} its own, {in_words(name, more)} borrowed)"
        text = (
            f"{_told(resolution, _pods(resolution), name, requested[name])}, but queue "
            f"{queue.name} may use only {most} of pool {pool}"
        )
        hint = _less(resolution)
        if name in other_resources.asked(resolution.spec) and not mine + more:
            hint = "write what its nodes have in the pool's `allocatable`: quotas follow from it"
        reasons.append(RefusalReason(text, resolution.workload.place(_path(resolution)), hint))
    return reasons


def _over(amounts: Amounts, own_amounts: Amounts, lent: Amounts) -> str | None:
    """Return a resource of which the request exceeds the queue's limit; devices first."""
    over = [
        name
        for name in amounts
        # Pods are counted where a queue says how many it takes.
        if (name != PODS or PODS in own_amounts)
        and amounts[name] > own_amounts.get(name, 0) + lent.get(name, 0)
    ]
    return min(over, key=lambda name: name in (CPU, MEMORY, DISK)) if over else None


def _all(resolution: Resolution) -> Amounts:
    """Return the total request of all pods in one pool. Roles without GPUs may get another flavor,
    or none."""
    pods = _pods(resolution)
    totals = {name: amount * pods for name, amount in _pod(resolution).items()}
    for role in resolution.roles:
        role_resources = role.resources
        if role_resources.gpus:
            totals[CPU] += role.count * math.floor(role_resources.cpu.value * 1000)
            totals[MEMORY] += role.count * math.floor(role_resources.memory.value)
            totals[DISK] += role.count * math.floor(role_resources.ephemeral_storage.value)
    totals[device(resolution)] += resolution.gpus_of_roles
    totals[PODS] += sum(role.count for role in resolution.roles if role.resources.gpus)
    return totals


def _pod(resolution: Resolution) -> Amounts:
    """Return the request of one pod, with all of its containers, as the queue counts it."""
    quantities = {
        name: Quantity.parse(decision.value)
        for name, decision in resources(resolution).counted.items()
        if isinstance(decision, Decision)
    }
    pod = needs(resolution).pod(
        cpu=math.floor(quantities.pop(CPU).value * 1000),
        memory=math.floor(quantities.pop(MEMORY).value),
        disk=math.floor(quantities.pop(DISK).value),
        gpus=resolution.gpus,
    )
    devices = {name: math.floor(quantity.value) for name, quantity in quantities.items()}
    return {CPU: pod.cpu, MEMORY: pod.memory, DISK: pod.disk or 0, **devices, PODS: 1}


def _pods(resolution: Resolution) -> int:
    """Return the smallest number of pods that must be admitted at once."""
    if isinstance(resolution.spec, BatchInferenceSpec):
        return resolution.spec.shards.min_parallelism or at_once(resolution.spec)
    return resolution.workers


def _path(resolution: Resolution) -> tuple[str, ...]:
    if isinstance(resolution.spec, BatchInferenceSpec):
        return ("spec", "shards", "parallelism")
    return (resolution.workers_path if resolution.workers > 1 else None) or ("spec", "gpu")


def _less(resolution: Resolution) -> str | None:
    if isinstance(resolution.spec, BatchInferenceSpec):
        return "write a smaller shards.parallelism, or a shards.minParallelism that fits"
    return None
