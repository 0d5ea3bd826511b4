"""Host resources of one node, one GPU's share of them, and how many pods of a shape fit."""

from collections.abc import Iterable

import msgspec

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.spec import Pool

# What kubelet, system and DaemonSets take of a machine's nominal size when nobody told us.
# GKE's formula takes 5.6 % of the memory of a 128 GiB node and 25 % of the first 4 GiB; a tenth
# covers it on GPU machines and leaves the DaemonSets their part.
COMMON_OVERHEAD = 10


class Host(msgspec.Struct, frozen=True):
    """Host resources. `cpu` in thousandths of a core, memory and disk in bytes.

    `disk` is None where nothing is known of it.
    """

    cpu: int
    memory: int
    disk: int | None
    gpus: int
    pods: int = 110


def host(pool: Pool, model: GpuModel) -> Host | None:
    """What a node of the pool leaves for GPU pods: allocatable less what DaemonSets reserve.

    Where the profile does not say, the least of the common machines with this GPU; None when no
    such machine is known.
    """
    have, taken = pool.allocatable, pool.reserved
    if have is None:
        per_gpu = common_share([model])
        return per_gpu and times(per_gpu, pool.gpu.count)
    disk = have.ephemeral_storage
    return Host(
        cpu=int(have.cpu.value * 1000) - int(taken.cpu.value * 1000),
        memory=int(have.memory.value) - int(taken.memory.value),
        disk=int(disk.value) - int(taken.ephemeral_storage.value) if disk else None,
        gpus=pool.gpu.count,
        pods=have.pods,
    )


def common_share(models: Iterable[GpuModel]) -> Host | None:
    """One GPU's share of the smallest common machine among those with these GPUs."""
    shapes = [shape for model in models for shape in hardware.node_shapes(model)]
    if not shapes:
        return None
    keep = 100 - COMMON_OVERHEAD
    return Host(
        cpu=min(shape.cpu * 1000 * keep // 100 // shape.gpus for shape in shapes),
        memory=min(shape.memory * keep // 100 // shape.gpus for shape in shapes),
        disk=None,
        gpus=1,
    )


def share(of: Host, gpus: int) -> Host:
    """The part of a node that goes with `gpus` of its GPUs.

    Rounded down, so that the last GPU of a node still finds room.
    """
    return Host(
        cpu=of.cpu * gpus // of.gpus,
        memory=of.memory * gpus // of.gpus,
        disk=None if of.disk is None else of.disk * gpus // of.gpus,
        gpus=gpus,
        pods=max(1, of.pods * gpus // of.gpus),
    )


def times(of: Host, count: int) -> Host:
    """A node of `count` such parts."""
    return Host(
        cpu=of.cpu * count,
        memory=of.memory * count,
        disk=None if of.disk is None else of.disk * count,
        gpus=of.gpus * count,
        pods=of.pods,
    )


def slots(of: Host, shape: Host) -> int:
    """How many pods of a shape an empty node has room for."""
    rooms = [of.gpus // shape.gpus if shape.gpus else of.pods, of.pods]
    rooms += [of.cpu // shape.cpu] if shape.cpu else []
    rooms += [of.memory // shape.memory] if shape.memory else []
    if shape.disk and of.disk is not None:
        rooms.append(of.disk // shape.disk)
    return min(rooms)
