"""Check taints, capacity type and number of a pool's nodes."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.enumeration import counted
from gpuspec.fleet.passing_taints import is_passing
from gpuspec.spec import Pool


def passing_taint(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a taint of a transient node condition, which rendered pods would tolerate."""
    for index, taint in enumerate(at.pool.taints):
        if is_passing(taint.key):
            yield at.error(
                ("taints", index),
                f"taint {taint.key} depends on a node's state",
                "pods tolerate the pool's taints: they would start on nodes that are cordoned, "
                "drained or not ready",
                "delete it",
            )


def spot_taint(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a taint of spot nodes in an on-demand pool."""
    if at.pool.capacity == "spot":
        return
    for index, taint in enumerate(at.pool.taints):
        if hardware.SPOT_LABELS.get(taint.key) == taint.value:
            yield at.error(
                ("taints", index),
                f"taint {taint.key}={taint.value} is a spot node's, the pool is on-demand",
                "workloads that must not be interrupted would tolerate it",
                "write capacity: spot, or delete the taint",
            )


def untainted(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield GPU nodes that accept any pod, in a cluster that taints its other GPU nodes."""
    if not _is_tainted(at.pool) and any(_is_tainted(pool) for pool in at.spec.pools):
        yield at.note(
            (),
            "no taint keeps pods without GPUs off its nodes, other pools have one",
            "they take the CPU and memory that go with the GPUs, and the GPUs stay idle",
            "taint its nodes (nvidia.com/gpu:NoSchedule) and write it here",
        )


def _is_tainted(pool: Pool) -> bool:
    return any(taint.effect != "PreferNoSchedule" for taint in pool.taints)


def spot_notice(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a termination notice longer than the provider's."""
    pool, provider = at.pool, hardware.provider(at.spec.provider)
    spot, title = provider.spot, provider.title
    if pool.capacity != "spot" or spot is None or provider.anywhere:
        return
    seconds = pool.notice.seconds
    if seconds > spot.notice:
        yield at.error(
            ("notice",),
            f"a notice of {pool.notice}, and {title} gives {spot.notice}s",
            "a checkpoint that is planned for the notice is cut off",
            f"write notice: {spot.notice}s",
        )
    elif seconds < spot.notice and at.spec.provider in ("eks", "eks-auto"):
        yield at.note(
            ("notice",),
            f"a notice of {pool.notice}, and {title} gives {spot.notice}s",
            "pods are given less time to save than they could have",
            f"write notice: {spot.notice}s",
        )


def spare(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a remark if a pool promises more slots than it has devices."""
    nodes = at.pool.most_nodes
    if nodes is None or not at.pool.spare:
        return
    units = nodes * sum(device_option.on_node for device_option in at.device_options())
    if at.pool.spare > units:
        yield at.error(
            ("spare",),
            f"{at.pool.spare} spare slots are promised, but it has at most {counted(units, 'device')}",
            "a rollout surges by the spare slots, and its new pods stay Pending",
            "write the number of slots that are kept free, or delete `spare`",
        )


def no_nodes(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a pool without nodes, which runs nothing."""
    if at.pool.most_nodes == 0:
        yield at.note(
            ("nodes",),
            "it has no nodes",
            "workloads that fit only there are rendered, but stay Pending",
            "write nodes: {min: 0, max: 4} where an autoscaler makes them, or delete the pool",
        )


def runtime_class(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield RuntimeClasses that differ among pools of one resource, and one that GKE does not
    have."""
    pool = at.pool
    if (
        pool.runtime_class == "nvidia"
        and at.spec.provider == "gke"
        and "gpu-operator" not in at.spec.installed
    ):
        yield at.note(
            ("runtimeClass",),
            "GKE's own devices need no RuntimeClass, and GKE has no RuntimeClass nvidia",
            "the API server refuses pods of a RuntimeClass that does not exist",
            "delete it, or name gpu-operator in `installed` where it made the class",
        )
    for earlier_pool in at.spec.pools[: at.index]:
        if (
            earlier_pool.gpu.resource == pool.gpu.resource
            and earlier_pool.runtime_class != pool.runtime_class
        ):
            class_name = pool.runtime_class or "none"
            yield at.note(
                ("runtimeClass",) if pool.runtime_class else (),
                f"its RuntimeClass is {class_name}, and that of pool {earlier_pool.name} "
                f"{earlier_pool.runtime_class or 'none'}",
                "a pod names one, so that no workload is given both pools",
                "give both the same, where their nodes allow it",
            )
            return
