"""The devices that nodes have for claims: their number, and their GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.fleet.advertised import advertised
from gpuspec.fleet.claims.counting import counts_of, is_gpu, resource_of
from gpuspec.fleet.claims.model import DeviceAlternative
from gpuspec.fleet.nodes import Gpus
from gpuspec.fleet.nodes.node import DevicePart
from gpuspec.numbers import read_whole
from gpuspec.spec import model_of as model_of_pool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.claims.model import SliceDevice
    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool

_WHOLE = 1000
_SLICE = "memorySlice"
_MOST_SLICES = 64


def claimed(node: FleetNode, devices: ClusterDevices) -> FleetNode:
    """Return a node with the devices that claims can request on it.

    If the node also advertises GPUs, they are the same ones, and are shown once.
    """
    counts = counts_of(devices, node)
    if not counts:
        return node
    have = {**node.allocatable, **counts}
    return msgspec.structs.replace(node, allocatable=have, gpus=node.gpus or _gpus(devices, node))


def without_plugin(node: FleetNode, pool: Pool) -> FleetNode:
    """Return a node of a pool without the resources of a device plugin for GPUs that claims
    allocate."""
    if pool.gpu.dra is None:
        return node
    plugin = advertised(pool, model_of_pool(pool))
    have = {name: amount for name, amount in node.allocatable.items() if name not in plugin}
    return msgspec.structs.replace(node, allocatable=have, gpus=None)


def advertise(devices: ClusterDevices, snapshot: Snapshot, at: Mapping[str, int]) -> None:
    """Record in the devices which resources nodes have by device plugins, and in the nodes what
    shared claims take."""
    devices.advertised = frozenset(
        name for node in snapshot.nodes for name, amount in node.allocatable.items() if amount > 0
    )
    devices.apart = frozenset(
        name
        for name, device_class in devices.behind()
        if name in devices.advertised and _apart(devices, snapshot, name, device_class)
    )
    devices_by_id = {device.id: device for device in devices.all()}
    for allocation in devices.allocations.values():
        for device_taken in allocation.taken:
            device = devices_by_id.get(device_taken.device)
            name = None if device is None or device_taken.admin else resource_of(device)
            where = at.get(devices.place(device).node) if device is not None else None
            if name is not None and where is not None:
                used = snapshot.used[where]
                used[name] = used.get(name, 0) + 1


def _apart(devices: ClusterDevices, snapshot: Snapshot, resource: str, device_class: str) -> bool:
    """Return whether nodes without a resource have devices of its class."""
    where = {
        devices.place(device).node
        for device in devices.selected(DeviceAlternative("", device_class))
    }
    return any(node.name in where and not node.allocatable.get(resource) for node in snapshot.nodes)


def model_of(device: SliceDevice) -> GpuModel | None:
    """Return the GPU model of a device, or of the GPU that it is a part of; None if its driver does
    not state it."""
    for maker, driver in hardware.claim_drivers().items():
        if driver.driver != device.id.driver or driver.product is None:
            continue
        kind, name = device.attributes.get(driver.product, ("", ""))
        vendor = hardware.vendor(maker)
        if kind != "string" or vendor is None or vendor.labeller is None:
            return None
        label = str(name).replace(" ", "-") if driver.blanks else str(name)
        gpu_models = hardware.from_label(vendor.labeller, label)
        return gpu_models[0] if len(gpu_models) == 1 else None
    return None


def _gpus(devices: ClusterDevices, node: FleetNode) -> Gpus | None:
    """Return the GPUs of a node by its slices."""
    gpu_devices = [
        device
        for pool in devices.pools(node)
        for device in pool.devices
        if is_gpu(resource_of(device) or "")
    ]
    if not gpu_devices:
        return None
    numbers: dict[object, int] = {}
    pieces: dict[str, list[DevicePart]] = {}
    for device in gpu_devices:
        whole = device.attributes.get("parentUUID") or device.attributes.get("uuid") or device.id
        gpu = numbers.setdefault(whole, len(numbers))
        pieces.setdefault(resource_of(device) or "", []).append(_piece(device, gpu))
    model = next((gpu_model for device in gpu_devices if (gpu_model := model_of(device))), None)
    divided = any(device.attributes.get("type") == ("string", "mig") for device in gpu_devices)
    return Gpus(
        len(numbers),
        None if model is None else model.name,
        {name: tuple(device_parts) for name, device_parts in pieces.items()},
        "mig" if divided else None,
    )


def _piece(device: SliceDevice, gpu: int) -> DevicePart:
    """Return a device as a part of its GPU."""
    if device.attributes.get("type") != ("string", "mig"):
        return DevicePart(gpu, _WHOLE)
    slots = sorted(
        number
        for name in device.capacity
        if name.startswith(_SLICE)
        and (number := read_whole(name.removeprefix(_SLICE), _MOST_SLICES)) is not None
    )
    model = model_of(device)
    axis = max((mig_profile.memory_slices for mig_profile in model.mig), default=0) if model else 0
    if not slots or not axis:
        return DevicePart(gpu, 0)
    return DevicePart(gpu, _WHOLE * len(slots) // axis, slots[0], len(slots))
