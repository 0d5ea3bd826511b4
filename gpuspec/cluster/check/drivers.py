"""Check the drivers of pools: their labels, and how many nodes are unavailable during an
upgrade."""

from collections.abc import Iterator

from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.spec import ClusterProfileSpec, Pool
from gpuspec.spec.rules.gpu_operator import driven, has_fallback, nvidia_pools, stated_driver

# What GPU Feature Discovery says of the driver. Source: NVIDIA/k8s-device-plugin v0.20.0
# internal/lm/machine-type.go and nvml.go.
_WHOLE = "nvidia.com/cuda.driver-version.full"
_PARTS = {
    "nvidia.com/cuda.driver-version.major": 0,
    "nvidia.com/cuda.driver-version.minor": 1,
    "nvidia.com/cuda.driver-version.revision": 2,
    "nvidia.com/cuda.driver.major": 0,
    "nvidia.com/cuda.driver.minor": 1,
    "nvidia.com/cuda.driver.rev": 2,
}


def driver_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a label with another driver than the pool's."""
    version = stated_driver(at.spec, at.pool)
    if version is None:
        return
    parts = version.split(".")
    for key, value in at.pool.labels.items():
        if key == _WHOLE:
            same = value == version
        elif key in _PARTS and len(parts) > _PARTS[key]:
            same = value == parts[_PARTS[key]]
        else:
            continue
        if not same:
            yield at.error(
                ("labels", key),
                f"label {key} says {value}, and its driver is {version}",
                "GPU Feature Discovery changes it with each driver: nodes lose the pool's "
                "label, and pods that select it stay Pending",
                "delete the label, which changes with the driver, or correct one of the two",
            )


def driver_model(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a driver that is older than the GPU."""
    version, least = stated_driver(at.spec, at.pool), hardware.first_branch(at.model)
    if version is None or least is None or not (numbers := read_version(version)):
        return
    if numbers[0] < least:
        has_driver = at.pool.driver is not None
        remark = at.error(
            ("driver",),
            f"driver {version} does not support {at.model.name}, which needs branch {least} "
            "or later",
            "its nodes have no GPU that pods could request",
            f"write a version of branch {least} or later"
            + ("" if has_driver else " as its `driver`"),
        )
        general: Path = ("spec", "gpuOperator", "driver", "version")
        yield remark if has_driver else replace(remark, path=general)


def upgrade_room(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a remark if all nodes can be upgraded at the same time."""
    gpu_operator = spec.gpu_operator
    if gpu_operator is None or gpu_operator.driver.preinstalled:
        return
    most = gpu_operator.driver.upgrade.unavailable
    alone = driven(spec) if has_fallback(spec) else []
    for pools in ([pool] for pool in alone):
        yield from _all_out(pools, most)
    if rest := [pool for pool in nvidia_pools(spec) if pool not in alone]:
        yield from _all_out(rest, most)


def _all_out(pools: list[Pool], most: int) -> Iterator[CheckRemark]:
    """Yield groups of nodes with one driver, which are counted together."""
    counts = [pool.most_nodes for pool in pools]
    if None in counts or most == 1:
        return
    nodes = sum(number or 0 for number in counts)
    if most >= nodes:
        names = " and ".join(pool.name for pool in pools)
        yield CheckRemark(
            "note",
            ("spec", "gpuOperator", "driver", "upgrade", "unavailable"),
            f"{most} nodes may be down for a driver upgrade, but {names} has at most "
            f"{counted(nodes, 'node')}",
            "every pod with GPUs there is evicted at the same time, replicas of one server too",
            f"write unavailable: {max(nodes // 4, 1)}",
        )
