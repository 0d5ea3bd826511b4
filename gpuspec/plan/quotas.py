"""How much of every resource goes with GPUs of a pool, and what a queue may use of it.

A queue admits only what it has quota for, of every resource that a pod asks for. What follows from
a number of GPUs is therefore as much as pods of any size with so many GPUs may ask for, and is told
in one place to both sides: the check of a workload, and the queue that is rendered.

Amounts are whole numbers: thousandths of a core for `cpu`, bytes for memory, disk and huge pages,
devices for the rest.
"""

import math
from collections import Counter

from gpuspec.fleet import host
from gpuspec.manifests import Quantity
from gpuspec.plan import other_resources
from gpuspec.plan.fabric import fabric_share
from gpuspec.plan.hugepages import HUGEPAGES, part_of
from gpuspec.plan.offers import offers
from gpuspec.plan.words import MIB, cores, gib
from gpuspec.spec import Pool, Profile, Queue, model_of
from gpuspec.spec.pools import PAGES

CPU, MEMORY, DISK = "cpu", "memory", "ephemeral-storage"
# Stands for no bound, where nothing is known of a pool's nodes: Kueue has no word for it.
UNBOUNDED = {CPU: 10**9, MEMORY: 1 << 50, DISK: 1 << 50}
_BYTES = (MEMORY, DISK)

Amounts = dict[str, int]


def quota(pool: Pool, gpus: int) -> Amounts:
    """What goes with so many GPUs of a pool, devices first. Sound profiles only: see its rules."""
    found = {**_host(pool, gpus), **devices(pool, gpus), **_fabric(pool, gpus)}
    if pool.gpu.hugepages is not None:
        pages = math.floor(part_of(pool.gpu.hugepages, gpus, pool.gpu.count).value)
        found[HUGEPAGES] = found.get(HUGEPAGES, 0) + pages
    for name, amount in other_resources.part(pool, gpus).items():
        found[name] = max(found.get(name, 0), amount)
    return found


def devices(pool: Pool, gpus: int) -> Amounts:
    """What so many GPUs of a pool are advertised as; where a node has several kinds, its part of each."""
    found: Amounts = {}
    for offer in offers(pool, model_of(pool)):
        part = -(-gpus * offer.on_node // pool.gpu.count)
        found[offer.resource] = found.get(offer.resource, 0) + part
    return found


def unbounded(pool: Pool) -> list[str]:
    """Resources of a pool's nodes of which nothing is known, and which its queues do not bound."""
    amounts = quota(pool, 1)
    return [name for name, bound in UNBOUNDED.items() if amounts[name] == bound]


def usable(profile: Profile, queue: Queue, pool: str) -> tuple[Amounts, Amounts]:
    """What a queue has of one of its pools, and the most it may borrow from its cohort."""
    pools = {known.name: known for known in profile.spec.pools}
    (mine,) = (part for part in queue.pools if part.pool == pool)
    own = quota(pools[pool], mine.gpus)
    if queue.cohort is None:
        return own, dict.fromkeys(own, 0)
    lent = Counter[str]()
    for other in profile.spec.queues:
        if other.cohort == queue.cohort and other.name != queue.name:
            for part in other.pools:
                if part.pool == pool:
                    free = part.gpus if part.lend is None else part.lend
                    lent.update(quota(pools[pool], free))
    if mine.borrow is None:
        return own, {name: lent[name] for name in own}
    most = quota(pools[pool], mine.borrow)
    return own, {name: min(lent[name], most[name]) for name in own}


def as_quantity(name: str, amount: int) -> str:
    """An amount in the form that Kubernetes keeps, bytes to the Mi above."""
    if name == CPU:
        return str(Quantity.parse(f"{amount}m"))
    return str(Quantity.parse(f"{-(-amount // MIB)}Mi" if _is_bytes(name) else amount))


def in_words(name: str, amount: int) -> str:
    """An amount for people."""
    if name == CPU:
        return cores(amount)
    return gib(amount) if _is_bytes(name) else str(amount)


def _is_bytes(name: str) -> bool:
    return name in _BYTES or name.startswith(PAGES)


def _host(pool: Pool, gpus: int) -> Amounts:
    """The part of the nodes' host resources, rounded up."""
    node, each = host(pool, model_of(pool)), pool.gpu.count
    have: dict[str, int | None] = dict.fromkeys(UNBOUNDED)
    if node is not None:
        have = {CPU: node.cpu, MEMORY: node.memory, DISK: node.disk}
    return {
        name: (UNBOUNDED[name] if gpus else 0) if total is None else -(-total * gpus // each)
        for name, total in have.items()
    }


def _fabric(pool: Pool, gpus: int) -> Amounts:
    """What pods that use the fabric ask of it: by the size of pod that asks for most per GPU."""
    found: Amounts = {}
    for size in range(1, pool.gpu.count + 1):
        share = fabric_share(pool, size)
        if share is None:
            continue
        pages = {} if share.hugepages is None else {HUGEPAGES: math.floor(share.hugepages.value)}
        for name, asked in {**share.devices, **pages}.items():
            found[name] = max(found.get(name, 0), -(-asked * gpus // size))
    return found
