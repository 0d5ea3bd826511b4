"""Check the host resources for each device, and how pods of one or more devices fill a node."""

from collections.abc import Iterator

import msgspec

from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.enumeration import counted
from gpuspec.plan import DeviceOption
from gpuspec.plan.device_options import node_of
from gpuspec.plan.wording import gib

# A pod with less than a core feeds no GPU: tokenisation, data loading and the driver's own threads.
LEAST_CPU = 1000
_SHAPES = (2, 4, 8)


class _Share(msgspec.Struct, frozen=True):
    """A type of device on a node: the number of devices, with CPU (m) and memory (bytes) for
    each."""

    device_option: DeviceOption
    units: int
    cpu: int
    memory: int


def cpu_share(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield devices with less than one core each."""
    for share in _shares(at):
        if share.cpu < LEAST_CPU:
            units = counted(share.units, share.device_option.unit)
            yield at.note(
                ("allocatable", "cpu"),
                f"{share.cpu}m of CPU go with each of {units}",
                "a pod's share is less than a core, which cannot keep a GPU busy",
                "use larger nodes or fewer shares, or lower `reserved`",
            )


def memory_share(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield devices with less host memory than half of their own memory."""
    for share in _shares(at):
        device_option = share.device_option
        if share.memory * 2 < device_option.memory:
            yield at.note(
                ("allocatable", "memory"),
                f"{gib(share.memory)} of memory go with each {device_option.unit} of {gib(device_option.memory)}",
                "weights that fill the device pass through the host's memory while they load, and "
                "the pod is killed",
                "use larger nodes, or models of half the device's memory",
            )


def pod_slots(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a remark if a node allows fewer pods than it has devices."""
    have = at.pool.allocatable
    units = sum(device_option.on_node for device_option in at.device_options())
    if have is not None and have.pods < units:
        yield at.note(
            ("allocatable", "pods"),
            f"a node has {units} devices and {have.pods} pod slots, DaemonSets' among them",
            f"pods of one device cannot use {units - have.pods} of them",
            "raise the kubelet's maxPods, or share among fewer",
        )


def tiling(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield numbers of GPUs per pod that leave GPUs idle on every node."""
    gpus = at.pool.gpu.count
    remainders = {size: gpus % size for size in _SHAPES if size < gpus and gpus % size}
    if at.pool.sharing is None and remainders:
        words = ", ".join(
            f"pods of {size}: {counted(gpus // size, 'slot')}, {counted(rest, 'GPU')} idle"
            for size, rest in remainders.items()
        )
        yield at.note(
            ("gpu", "count"),
            f"{gpus} GPUs per node do not divide evenly ({words})",
            "only smaller pods can use the rest of each node",
            "keep the pool for pods of 1 GPU, or of a number that divides it",
        )


def share_memory(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield shares too small for a CUDA context and any data."""
    least = 1 << 30
    for device_option in at.device_options() if at.model.vendor == "nvidia" else ():
        if device_option.kind in ("mps", "time-slicing") and device_option.memory < least:
            yield at.note(
                ("sharing", "replicas"),
                f"{device_option.per_gpu} shares have {device_option.memory >> 20}Mi each of {at.model.name}",
                "a CUDA context takes some 400Mi of a share before anything is loaded",
                f"share among {at.model.memory // least} or fewer",
            )


def _shares(at: PoolAt) -> Iterator[_Share]:
    """Yield the share of each type of device; nothing for nodes whose size is only assumed."""
    if at.pool.allocatable is None:
        return
    for device_option in at.device_options():
        node = node_of(at.pool, at.model, device_option)
        if node is not None:
            yield _Share(device_option, node.gpus, node.cpu // node.gpus, node.memory // node.gpus)
