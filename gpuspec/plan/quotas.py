"""The amount of every resource for GPUs of a pool, and a queue's limits.

A queue admits only within its quota of every resource that a pod requests. The other resources for
a number of GPUs are therefore the largest requests of pods with this number of GPUs. The check of a
workload and the rendered queue use the same function.

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
    """Return the amounts for this number of GPUs of a pool, devices first. For valid profiles only:
    see its rules."""
    amounts = {**_host(pool, gpus), **devices(pool, gpus), **_fabric(pool, gpus)}
    if pool.gpu.hugepages is not None:
        pages = math.floor(part_of(pool.gpu.hugepages, gpus, pool.gpu.count).value)
        amounts[HUGEPAGES] = amounts.get(HUGEPAGES, 0) + pages
    for name, amount in other_resources.part(pool, gpus).items():
        amounts[name] = max(amounts.get(name, 0), amount)
    return amounts


def devices(pool: Pool, gpus: int) -> Amounts:
    """Return the advertised devices of this number of GPUs; the proportional part of each type if a
    node has several."""
    amounts: Amounts = {}
    for device_option in device_options(pool, model_of(pool)):
        part = -(-gpus * device_option.on_node // pool.gpu.count)
        amounts[device_option.resource] = amounts.get(device_option.resource, 0) + part
    return amounts


def unbounded(pool: Pool) -> list[str]:
    """Return resources of a pool's nodes with unknown amounts, which its queues do not limit."""
    amounts = quota(pool, 1)
    return [name for name, bound in UNBOUNDED.items() if amounts[name] == bound]


def own(pool: Pool, part: QueuePool) -> Amounts:
    """Return a queue's quota in a pool: derived from its GPUs, or stated in the profile."""
    return {
        **quota(pool, part.gpus),
        **{name: _amount(name, quantity) for name, quantity in part.quotas.items()},
    }


def share(pool: Pool, part: QueuePool) -> CohortShare:
    """Return a queue's quota with its limits; amounts that do not follow from GPUs have none."""
    lend, borrow = (
        None if gpus is None else quota(pool, gpus) for gpus in (part.lend, part.borrow)
    )
    return CohortShare(own(pool, part), lend, borrow)


def usable(profile: Profile, queue: Queue, pool: str) -> tuple[Amounts, Amounts]:
    """Return a queue's quota in one of its pools, and the most that it may borrow from its
    cohort."""
    (profile_pool_found,) = (
        profile_pool for profile_pool in profile.spec.pools if profile_pool.name == pool
    )
    (part,) = (queue_pool for queue_pool in queue.pools if queue_pool.pool == pool)
    has = own(profile_pool_found, part)
    most = reach(
        profile.spec, queue, pool, lambda queue_pool: share(profile_pool_found, queue_pool)
    )
    return has, {name: most[name] - has[name] for name in has}


def as_quantity(name: str, amount: int) -> str:
    """Return an amount in Kubernetes' canonical form, bytes rounded up to Mi."""
    if name == CPU:
        return str(Quantity.parse(f"{amount}m"))
    return str(Quantity.parse(f"{-(-amount // MIB)}Mi" if _is_bytes(name) else amount))


def _amount(name: str, quantity: Quantity) -> int:
    """Return a quantity in the units of `Amounts`, rounded up."""
    return math.ceil(quantity.value * 1000 if name == CPU else quantity.value)


def in_words(name: str, amount: int) -> str:
    """Return an amount as text."""
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
    """Return requests for the fabric: of the pod size that requests the most per GPU."""
    amounts: Amounts = {}
    for size in range(1, pool.gpu.count + 1):
        share = fabric_share(pool, size)
        if share is None:
            continue
        pages = {} if share.hugepages is None else {HUGEPAGES: math.floor(share.hugepages.value)}
        for name, amount in {**share.devices, **pages}.items():
            amounts[name] = max(amounts.get(name, 0), -(-amount * gpus // size))
    return amounts
