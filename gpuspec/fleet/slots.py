"""Host resources of one node, one GPU's share of them, and the number of pods of a shape that
fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from gpuspec import hardware

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.hardware import GpuModel, NodeShape
    from gpuspec.spec import Pool

# Percent of a machine's nominal CPU and memory that kubelet and system keep, when nobody told us.
# GKE keeps 5.6 % of a 128 GiB machine's memory and EKS less; a tenth is above both.
SYSTEM_PART = 10


class Host(Struct, frozen=True):
    """Host resources of a node, or requests of a pod.

    `cpu` in thousandths of a core, `memory` and `disk` in bytes; `disk` is None if it is unknown.
    `pods` are pod slots.
    """

    cpu: int
    memory: int
    disk: int | None
    gpus: int
    pods: int = 110


class CommonShare(Struct, frozen=True):
    """One GPU's share of common machine types, and the machine types that limit it."""

    share: Host
    cpu_from: NodeShape
    memory_from: NodeShape


def host(pool: Pool, model: GpuModel) -> Host | None:
    """Return the capacity of a pool's node for GPU pods: allocatable less what DaemonSets reserve.

    Without `allocatable` in the profile, `assumed`.
    """
    have, reserved = pool.allocatable, pool.reserved
    cpu, memory = math.floor(reserved.cpu.value * 1000), math.floor(reserved.memory.value)
    if have is None:
        node = assumed(pool, model)
        if node is None:
            return None
        return replace(node, cpu=max(0, node.cpu - cpu), memory=max(0, node.memory - memory))
    disk = have.ephemeral_storage
    return Host(
        cpu=math.floor(have.cpu.value * 1000) - cpu,
        memory=math.floor(have.memory.value) - memory,
        disk=math.floor(disk.value) - math.floor(reserved.ephemeral_storage.value)
        if disk
        else None,
        gpus=pool.gpu.count,
        pods=have.pods,
    )


def machine_of(pool: Pool, model: GpuModel) -> NodeShape | None:
    """Return the instance type in the pool's label, with its nominal resources; None if it is
    unknown."""
    return hardware.machine(pool.labels.get(hardware.INSTANCE_TYPE, ""), model)


def assumed(pool: Pool, model: GpuModel) -> Host | None:
    """Return a node of a pool without `allocatable`, nothing reserved.

    It is the instance type in the pool's label, less what kubelet and system reserve; else the
    smallest of the common machine types with this GPU. None if no such machine type is known.
    """
    count, machine = pool.gpu.count, machine_of(pool, model)
    if machine is not None:
        keep = 100 - SYSTEM_PART
        return Host(machine.cpu * 10 * keep, machine.memory * keep // 100, None, count)
    common = common_share([model])
    if common is None:
        return None
    return Host(common.share.cpu * count, common.share.memory * count, None, count)


def common_share(models: Iterable[GpuModel]) -> CommonShare | None:
    """Return one GPU's share of the smallest common machine types with these GPUs; None if none is
    known.

    CPU and memory are each the least of all, and may come from different machine types.
    """
    shares = [share for model in models if (share := hardware.common_share(model))]
    if not shares:
        return None
    cpu = min(shares, key=lambda share: share.cpu)
    memory = min(shares, key=lambda share: share.memory)
    keep = 100 - SYSTEM_PART
    least = Host(cpu.cpu * 1000 * keep // 100, memory.memory * keep // 100, None, 1)
    return CommonShare(least, cpu.cpu_from, memory.memory_from)


def share(of: Host, gpus: int) -> Host:
    """Return the part of a node for this number of its GPUs.

    Rounded down, so that the pod of a node's last GPU still fits.
    """
    return Host(
        cpu=of.cpu * gpus // of.gpus,
        memory=of.memory * gpus // of.gpus,
        disk=None if of.disk is None else of.disk * gpus // of.gpus,
        gpus=gpus,
        pods=max(1, of.pods * gpus // of.gpus),
    )


def divided(of: Host, units: int, size: int, total: int) -> Host:
    """Return the part of a node for one type of share of its GPUs, counted in these shares.

    The shares of this type hold `size` of the `total` bytes of all shares: a layout with several
    types divides the host as it divides the GPUs.
    """
    return Host(
        cpu=of.cpu * size // total,
        memory=of.memory * size // total,
        disk=None if of.disk is None else of.disk * size // total,
        gpus=units,
        pods=max(1, of.pods * size // total),
    )


def bounds(of: Host, shape: Host) -> dict[str, int]:
    """Return how many pods of a shape fit on an empty node, by each resource that limits them."""
    slot_bounds = {"pod slots": of.pods}
    if shape.gpus:
        slot_bounds["GPUs"] = of.gpus // shape.gpus
    if shape.cpu:
        slot_bounds["CPU"] = of.cpu // shape.cpu
    if shape.memory:
        slot_bounds["memory"] = of.memory // shape.memory
    if shape.disk and of.disk is not None:
        slot_bounds["disk"] = of.disk // shape.disk
    return slot_bounds


def slots(of: Host, shape: Host) -> int:
    """Return how many pods of a shape fit on an empty node."""
    return min(bounds(of, shape).values())
