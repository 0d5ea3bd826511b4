"""Rules for the shares of queues and cohorts in pools, and for explicit quotas."""

from collections.abc import Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path, Quantity, dns_subdomain, label_key
from gpuspec.spec.pools import Pool
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.queues import QueuePool
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.amounts import MIB, bytes_hint
from gpuspec.spec.rules.quotas import HOST_RESOURCES, device_names, resources_of
from gpuspec.spec.rules.violation import SpecViolation

# Kueue's own limits, of a ClusterQueue and of a Cohort.
MOST_FLAVORS = 64
MOST_RESOURCES = 64
# What a queue covers beside devices: CPU, memory, disk and huge pages.
_HOST_RESOURCES = 4
_BYTES = ("memory", "ephemeral-storage")
_POOLS: Path = ("spec", "pools")


def problems(
    parts: tuple[QueuePool, ...], spec: ClusterProfileSpec, where: Path
) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the pools of one queue or cohort."""
    pools_by_name = {pool.name: pool for pool in spec.pools}
    yield from _most(parts, spec, where)
    pool_names: set[str] = set()
    for index, part in enumerate(parts):
        at: Path = (*where, index, "pool")
        if part.pool not in pools_by_name:
            yield unknown(part.pool, set(pools_by_name), at)
        elif reason := dns_subdomain(part.pool):
            message = f"{shown(part.pool)} cannot name a ResourceFlavor: {reason}"
            yield SpecViolation(message, at, "choose such a name for the pool", needs=(_POOLS,))
        if part.pool in pool_names:
            yield SpecViolation(f"pool {shown(part.pool)} is listed twice", at, "add up its GPUs")
        pool_names.add(part.pool)
        for name, amount in part.quotas.items():
            path = (*where, index, "quotas", name)
            yield from _quota(name, amount, pools_by_name.get(part.pool), path)


def unknown(name: str, pool_names: set[str], path: Path) -> SpecViolation:
    """Return the violation for a pool that the profile does not have."""
    hint = did_you_mean(name, pool_names) or f"pools: {', '.join(sorted(pool_names)) or 'none'}"
    return SpecViolation(f"no pool {shown(name)}", path, hint, needs=(_POOLS,))


def limits(
    parts: tuple[QueuePool, ...], path: Path, alone: str, hint: str, needs: tuple[Path, ...]
) -> Iterator[SpecViolation]:
    """Yield lending and borrowing limits without a cohort."""
    for index, part in enumerate(parts):
        for field in ("borrow", "lend"):
            if getattr(part, field) is not None:
                at = (*path, "pools", index, field)
                yield SpecViolation(f"`{field}`, and {alone}", at, hint, key=True, needs=needs)


def _most(
    parts: tuple[QueuePool, ...], spec: ClusterProfileSpec, where: Path
) -> Iterator[SpecViolation]:
    """Yield violations of the maximum sizes of a ClusterQueue."""
    if len(parts) > MOST_FLAVORS:
        message = f"{len(parts)} pools; Kueue allows {MOST_FLAVORS} per queue"
        yield SpecViolation(message, where, "use several queues in one cohort")
        return
    pools = {part.pool for part in parts}
    devices = {name for pool in spec.pools if pool.name in pools for name in resources_of(pool)}
    devices |= {name for part in parts for name in part.quotas if name not in HOST_RESOURCES}
    if len(devices) + _HOST_RESOURCES > MOST_RESOURCES:
        yield SpecViolation(
            f"its pools have {len(devices)} kinds of devices; Kueue counts "
            f"{MOST_RESOURCES - _HOST_RESOURCES} per queue, besides CPU, memory, disk and "
            "huge pages",
            where,
            "use several queues",
            needs=(_POOLS,),
        )


def _quota(name: str, amount: Quantity, pool: Pool | None, path: Path) -> Iterator[SpecViolation]:
    if reason := label_key(name):
        yield SpecViolation(f"{shown(name)} is not a resource: {reason}", path, key=True)
    elif pool is not None and name in device_names(pool):
        message = f"{name} follows from `gpus`"
        yield SpecViolation(message, path, "delete it, and set `gpus`", key=True, needs=(_POOLS,))
    elif name in _BYTES and 0 < amount < MIB:
        yield SpecViolation(f"`{name}` of {amount} is less than 1Mi", path, bytes_hint(amount))
    elif name not in HOST_RESOURCES and amount.value.denominator != 1:
        yield SpecViolation(f"{amount} of {name}: it must be a whole number", path)
