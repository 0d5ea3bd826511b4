"""Check pools that no label or device distinguishes, and configuration names with two meanings."""

from collections.abc import Callable, Iterator
from itertools import combinations

from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.cluster.platform.devices import MIG_LABEL, PLUGIN_LABEL
from gpuspec.cluster.platform.provider_sharing import OPERATOR
from gpuspec.spec import ClusterProfileSpec, Pool
from gpuspec.spec.rules.quotas import resources_of

# What a plan is made from, besides labels, taints, devices and architecture.
_FIELDS: tuple[tuple[str, Callable[[Pool], object]], ...] = (
    ("gpu.model", lambda pool: pool.gpu.model),
    ("gpu.count", lambda pool: pool.gpu.count),
    ("gpu.dra", lambda pool: pool.gpu.dra),
    ("allocatable", lambda pool: pool.allocatable),
    ("reserved", lambda pool: pool.reserved),
    ("capacity", lambda pool: pool.capacity),
    ("rdma", lambda pool: pool.rdma),
    ("zones", lambda pool: pool.zones),
)


def twins(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield pools with the same labels, taints and device: pods for one can land on the other."""
    for (_, pool), (index, second) in combinations(enumerate(spec.pools), 2):
        if not _is_alike(pool, second):
            continue
        path = ("spec", "pools", index, "labels" if second.labels else "name")
        both_names = f"pools {pool.name} and {second.name}"
        differ = [name for name, value in _FIELDS if value(pool) != value(second)]
        fix = "add a label that one of them has alone, a node pool's name for instance"
        if pool.sharing != second.sharing:
            message = f"{both_names} share GPUs differently, and no label, taint or resource tells them apart"
            why = "a pod that needs a whole GPU, or a slice, gets any that is free"
            yield CheckRemark("error", path, message, why, fix)
        elif differ:
            message = f"{both_names} differ in {', '.join(differ)}, but no label or taint tells them apart"
            why = "pods for one of them may start on the other"
            yield CheckRemark("note", path, message, why, fix)
        else:
            message = f"{both_names} are alike in all that counts"
            why = "every plan, check and quota is worked out twice"
            yield CheckRemark("note", path, message, why, "make them one pool, and add up `nodes`")


def _is_alike(pool: Pool, second: Pool) -> bool:
    """Return whether a pod for one pool can run in the other, as far as the profile shows."""
    return (
        pool.labels == second.labels
        and _taints(pool) == _taints(second)
        and pool.architecture == second.architecture
        # What a plugin advertises no claim is given, and what a driver lists no plugin.
        and (pool.gpu.dra is None) == (second.gpu.dra is None)
        and bool(set(resources_of(pool)) & set(resources_of(second)))
    )


def _taints(pool: Pool) -> set[tuple[str, str, str]]:
    return {
        (taint.key, taint.value, taint.effect)
        for taint in pool.taints
        if taint.effect != "PreferNoSchedule"
    }


def provider_sharing(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield shares of GPUs under a resource name that GKE does not use: it advertises all as
    nvidia.com/gpu."""
    sharing = at.pool.sharing
    if sharing is None or at.spec.provider != "gke" or OPERATOR in at.spec.installed:
        return
    names = [
        device_option.resource
        for device_option in at.device_options()
        if device_option.resource != "nvidia.com/gpu"
    ]
    if names and sharing.mode == "mig":
        field, fix = "strategy", "write strategy: single, with one profile for each pool"
    elif names:
        field, fix = ("rename" if sharing.rename else "mode"), "delete `rename` and `resource`"
    else:
        return
    yield at.error(
        ("sharing", field),
        f"GKE advertises parts of GPUs as nvidia.com/gpu, and never {' or '.join(names)}",
        "pods that request a resource that no node has stay Pending",
        f"{fix}; or name {OPERATOR} in `installed` where it runs the devices",
    )


def config_names(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a name of a device configuration or MIG layout that several differently shared pools
    use."""
    for key in (PLUGIN_LABEL, MIG_LABEL):
        pools: dict[str, Pool] = {}
        for index, pool in enumerate(spec.pools):
            name = pool.labels.get(key)
            if name is None or (key == MIG_LABEL and not _is_cut(pool)):
                continue
            first = pools.setdefault(name, pool)
            if first.sharing != pool.sharing:
                yield CheckRemark(
                    "error",
                    ("spec", "pools", index, "labels", key),
                    f"pools {first.name} and {pool.name} both have {key}={name}, but share "
                    "GPUs differently",
                    "the nodes of both are configured alike, by that name",
                    "correct one `sharing`, or name two configurations",
                )


def _is_cut(pool: Pool) -> bool:
    return pool.sharing is not None and pool.sharing.mode == "mig"
