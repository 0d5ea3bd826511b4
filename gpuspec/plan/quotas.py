"""How much of every resource goes with GPUs of a pool, and what a queue may use of it.

A queue admits only what it has quota for, of every resource that a pod asks for. What follows from
a number of GPUs is therefore as much as pods of any size with so many GPUs may ask for, and is told
in one place to both sides: the check of a workload, and the queue that is rendered.

Amounts are whole numbers: thousandths of a core for `cpu`, bytes for memory, disk and huge pages,
devices for the rest.
"""

import math

from gpuspec.fleet import host
from gpuspec.fleet.lending import CohortShare, reach
from gpuspec.manifests import Quantity
from gpuspec.plan import other_resources
from gpuspec.plan.device_options import device_options
from gpuspec.plan.fabric import fabric_share
from gpuspec.plan.hugepages import HUGEPAGES, part_of
from gpuspec.plan.wording import MIB, cores, gib
from gpuspec.spec import Pool, Profile, Queue, QueuePool, model_of
from gpuspec.spec.pools import PAGES

CPU, MEMORY, DISK, PODS = "cpu", "memory", "ephemeral-storage", "pods"
# Stands for no bound, where nothing is known of a pool's nodes: Kueue has no word for it.
UNBOUNDED = {CPU: 10**9, MEMORY: 1 << 50, DISK: 1 << 50}
_BYTES = (MEMORY, DISK)

Amounts = dict[str, int]


def quota(pool: Pool, gpus: int) -> Amounts:
    """Return what goes with so many GPUs of a pool, devices first. Sound profiles only: see its
    rules."""
    found = {**_host(pool, gpus), **devices(pool, gpus), **_fabric(pool, gpus)}
    if pool.gpu.hugepages is not None:
        pages = math.floor(part_of(pool.gpu.hugepages, gpus, pool.gpu.count).value)
        found[HUGEPAGES] = found.get(HUGEPAGES, 0) + pages
    for name, amount in other_resources.part(pool, gpus).items():
        found[name] = max(found.get(name, 0), amount)
    return found


def devices(pool: Pool, gpus: int) -> Amounts:
    """Return what so many GPUs of a pool are advertised as; where a node has several kinds, its
    part of each."""
    amounts: Amounts = {}
    for device_option in device_options(pool, model_of(pool)):
        part = -(-gpus * device_option.on_node // pool.gpu.count)
        amounts[device_option.resource] = amounts.get(device_option.resource, 0) + part
    return amounts


def unbounded(pool: Pool) -> list[str]:
    """Return resources of a pool's nodes of which nothing is known, and which its queues do not
    bound."""
    amounts = quota(pool, 1)
    return [name for name, bound in UNBOUNDED.items() if amounts[name] == bound]


def own(pool: Pool, part: QueuePool) -> Amounts:
    """Return what a queue has of a pool: as follows from its GPUs, and what the profile says
    instead."""
    return {
        **quota(pool, part.gpus),
        **{name: _amount(name, quantity) for name, quantity in part.quotas.items()},
    }


def share(pool: Pool, part: QueuePool) -> CohortShare:
    """Return the same with its limits, which what does not follow from GPUs has none of."""
    lend, borrow = (
        None if gpus is None else quota(pool, gpus) for gpus in (part.lend, part.borrow)
    )
    return CohortShare(own(pool, part), lend, borrow)


def usable(profile: Profile, queue: Queue, pool: str) -> tuple[Amounts, Amounts]:
    """Return what a queue has of one of its pools, and the most it may borrow from its cohort."""
    (known,) = (each for each in profile.spec.pools if each.name == pool)
    (part,) = (queue_pool for queue_pool in queue.pools if queue_pool.pool == pool)
    has = own(known, part)
    most = reach(profile.spec, queue, pool, lambda queue_pool: share(known, queue_pool))
    return has, {name: most[name] - has[name] for name in has}


def as_quantity(name: str, amount: int) -> str:
    """Return an amount in the form that Kubernetes keeps, bytes to the Mi above."""
    if name == CPU:
        return str(Quantity.parse(f"{amount}m"))
    return str(Quantity.parse(f"{-(-amount // MIB)}Mi" if _is_bytes(name) else amount))


def _amount(name: str, quantity: Quantity) -> int:
    """Return a quantity in the units of `Amounts`, rounded up."""
    return math.ceil(quantity.value * 1000 if name == CPU else quantity.value)


def in_words(name: str, amount: int) -> str:
    """Return an amount for people."""
    if name == CPU:
        return cores(amount)
    return gib(amount) if _is_bytes(name) else str(amount)


def _is_bytes(name: str) -> bool:
    return name in _BYTES or name.startswith(PAGES)


def _host(pool: Pool, gpus: int) -> Amounts:
    """Return the part of the nodes' host resources, rounded up."""
    node, count = host(pool, model_of(pool)), pool.gpu.count
    have: dict[str, int | None] = dict.fromkeys(UNBOUNDED)
    if node is not None:
        have = {CPU: node.cpu, MEMORY: node.memory, DISK: node.disk}
    return {
        name: (UNBOUNDED[name] if gpus else 0) if total is None else -(-total * gpus // count)
        for name, total in have.items()
    }


def _fabric(pool: Pool, gpus: int) -> Amounts:
    """Return what pods that use the fabric ask of it: by the size of pod that asks for most per
    GPU."""
    amounts: Amounts = {}
    for size in range(1, pool.gpu.count + 1):
        share = fabric_share(pool, size)
        if share is None:
            continue
        pages = {} if share.hugepages is None else {HUGEPAGES: math.floor(share.hugepages.value)}
        for name, asked in {**share.devices, **pages}.items():
            amounts[name] = max(amounts.get(name, 0), -(-asked * gpus // size))
    return amounts
