"""The device options of a pool for one pod: whole GPUs, MIG slices, or shares of a GPU."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.fleet import Host, divided, host
from gpuspec.hardware import GpuModel
from gpuspec.plan.wording import written
from gpuspec.spec import Pool

Kind = Literal["whole", "partition", "mig", "mps", "time-slicing"]
# How well a pod is kept apart from its neighbours, best first.
ISOLATION: tuple[Kind, ...] = ("whole", "partition", "mig", "mps", "time-slicing")
# Kinds of which a pod may have several that work as one: each is a device of its own.
DEVICES: tuple[Kind, ...] = ("whole", "partition")
_UNITS = {"whole": "GPU", "partition": "partition", "mig": "MIG slice"}


class DeviceOption(msgspec.Struct, frozen=True):
    """One type of device that the nodes of a pool advertise.

    `memory`: bytes of one unit, or its fair part if nothing enforces it. `per_gpu`: units on one
    GPU; 1 for partitions, which the pool itself counts. `gpus`: GPUs of a node with this option.
    `profile`: the MIG profile, or the partition. `claimed`: the DeviceClass for claims; None if
    pods request the resource.
    """

    kind: Kind
    resource: str
    memory: int
    per_gpu: int
    gpus: int
    profile: str | None = None
    claimed: str | None = None

    @property
    def on_node(self) -> int:
        """Units on one node."""
        return self.gpus * self.per_gpu

    @property
    def unit(self) -> str:
        """The name of one unit."""
        return _UNITS.get(self.kind, "GPU share")

    @property
    def one(self) -> str:
        """One unit, in words."""
        if self.profile is not None:
            return f"a {self.unit} {self.profile}"
        return "a GPU" if self.kind == "whole" else f"1/{self.per_gpu} of a GPU by {self.kind}"

    def __str__(self) -> str:
        if self.kind == "whole":
            return "whole GPUs"
        if self.profile is not None:
            return f"{self.unit}s {self.profile}"
        return f"GPUs shared by {self.kind} among {self.per_gpu}"


def device_options(pool: Pool, model: GpuModel) -> tuple[DeviceOption, ...]:
    """Return every device option of the pool, smallest first.

    For valid profiles only: see its rules.
    """
    options = _device_options(pool, model)
    if not pool.claimed:
        return options
    return tuple(
        replace(device_option, claimed=_class(pool, model, device_option.kind))
        for device_option in options
    )


def _class(pool: Pool, model: GpuModel, kind: Kind) -> str:
    """Return the DeviceClass of one type of device: the pool's, or else that of the vendor's
    driver."""
    driver = hardware.claim_driver(model.vendor)
    device_class = pool.gpu.dra and pool.gpu.dra.device_class
    assert driver is not None  # see rules/claiming.py
    return device_class or (driver.whole if kind == "whole" else driver.partition or driver.whole)


def _device_options(pool: Pool, model: GpuModel) -> tuple[DeviceOption, ...]:
    sharing, resource, gpus = pool.sharing, pool.gpu.resource, pool.gpu.count
    if sharing is None:
        if model.whole is not None:
            return (DeviceOption("partition", resource, model.memory, 1, gpus, pool.gpu.partition),)
        memory = model.memory // hardware.per_device(resource, model)
        return (DeviceOption("whole", resource, memory, 1, gpus),)
    if sharing.mode == "mig":
        options: list[DeviceOption] = []
        for name, count in sharing.profiles.items():
            profile = model.profile(name)
            if profile is None:
                continue
            advertised = profile.resource if pool.names_profiles else resource
            options.append(
                DeviceOption("mig", advertised, profile.memory, count, pool.shared_gpus, name)
            )
        if pool.whole_gpus:
            options.append(DeviceOption("whole", resource, model.memory, 1, pool.whole_gpus))
        return tuple(sorted(options, key=lambda device_option: device_option.memory))
    replicas = sharing.replicas or 1
    shares = sharing.share_name(resource)
    return (DeviceOption(sharing.mode, shares, model.memory // replicas, replicas, gpus),)


def node_of(pool: Pool, model: GpuModel, device_option: DeviceOption) -> Host | None:
    """Return the capacity of a node for pods with this device option, with `gpus` in units of the
    option.

    None if the pool's nodes are not described.
    """
    node = host(pool, model)
    if node is None:
        return None
    # Each GPU has its part of the node, and each kind of slice its part of that by memory.
    alike = [option for option in device_options(pool, model) if option.kind == device_option.kind]
    layout = sum(option.memory * option.per_gpu for option in alike)
    part = device_option.memory * device_option.per_gpu * device_option.gpus
    return divided(node, device_option.on_node, part, layout * pool.gpu.count)


def less_reserved(pool: Pool, resource: str) -> str:
    """Return the arithmetic behind a node's capacity for pods, in brackets; empty if the profile
    has no sizes."""
    total = getattr(pool.allocatable, resource, None)
    if total is None:
        return ""
    return f"({written(total)} less {written(getattr(pool.reserved, resource))} reserved)"
