"""The devices of a profile's pools, as their vendors' drivers would list them.

Only attributes from the profile and the tables: others that a driver lists are unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec import hardware
from gpuspec.fleet.claims.devices import ClusterDevices
from gpuspec.fleet.claims.features import features_of
from gpuspec.fleet.claims.model import (
    Capacity,
    DeviceClass,
    DeviceId,
    DeviceReach,
    ResourceSlice,
    SliceDevice,
)
from gpuspec.fleet.claims.pools import Slices
from gpuspec.manifests import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.fleet.claims.model import Attribute
    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.hardware import ClaimDriver, GpuModel
    from gpuspec.spec import Pool, Profile

_HYPHENED = ("SXM2", "SXM4", "PCIE")
"""In names of products that have hyphens of their own."""


def supposed(profile: Profile, nodes: Iterable[FleetNode]) -> ClusterDevices | None:
    """Return the devices on nodes of a profile's pools; None if no pool has devices for claims."""
    pools = {pool.name: pool for pool in profile.spec.pools if pool.gpu.dra is not None}
    if not pools:
        return None
    slices = [
        resource_slice
        for node in nodes
        if node.group in pools and (resource_slice := _slice(pools[node.group], node.name))
    ]
    features = features_of(profile.spec.kubernetes)
    return ClusterDevices(Slices(slices, features), _classes(pools.values()), (), features)


def _slice(pool: Pool, node: str) -> ResourceSlice | None:
    from gpuspec.spec import model_of

    model = model_of(pool)
    driver = hardware.claim_driver(model.vendor)
    if driver is None:
        return None
    devices = tuple(_devices(pool, model, driver, node))
    return ResourceSlice(node, driver.driver, node, 1, 1, DeviceReach(node), False, devices, {})


def _devices(pool: Pool, model: GpuModel, driver: ClaimDriver, node: str) -> Iterator[SliceDevice]:
    """Yield the devices of a node: its whole GPUs, and the parts of the others."""
    from gpuspec.fleet.nodes.layout import laid_out

    cut = pool.shared_gpus if pool.sharing is not None else 0
    parts = laid_out(model, pool.sharing.profiles) if pool.sharing is not None and cut else ()
    for gpu in range(cut):
        for number, (name, at) in enumerate(parts):
            mig_profile = model.profile(name)
            kind = _kind(driver, "partition") | _named(driver.profile, name)
            kind |= {"parentUUID": ("string", f"{node}-{gpu}")}
            memory = mig_profile.memory if mig_profile is not None else None
            slice_device = _device(pool, model, driver, (node, f"gpu-{gpu}-{number}"), kind, memory)
            slots = range(at.start, at.start + at.size)
            lies = {f"memorySlice{slot}": Capacity(parse_quantity(1).value, "1") for slot in slots}
            yield replace(slice_device, capacity={**slice_device.capacity, **lies})
    for gpu in range(cut, pool.gpu.count):
        kind = _kind(driver, "whole")
        yield _device(pool, model, driver, (node, f"gpu-{gpu}"), kind, model.memory)


def _device(
    pool: Pool,
    model: GpuModel,
    driver: ClaimDriver,
    where: tuple[str, str],
    kind: dict[str, Attribute],
    memory: int | None,
) -> SliceDevice:
    attributes = kind | _named(driver.product, _product(pool, model, driver))
    if driver.capability and model.compute_capability:
        major, minor = model.compute_capability
        attributes[driver.capability] = ("version", f"{major}.{minor}.0")
    size = {}
    if driver.memory and memory is not None:
        size = {driver.memory: Capacity(parse_quantity(memory).value, str(memory))}
    return SliceDevice(DeviceId(driver.driver, *where), attributes, size, supposed=True)


def _kind(driver: ClaimDriver, kind: str) -> dict[str, Attribute]:
    return _named(driver.type, driver.types.get(kind))


def _named(attribute: str | None, value: str | None) -> dict[str, Attribute]:
    return {attribute: ("string", value)} if attribute and value else {}


def _product(pool: Pool, model: GpuModel, driver: ClaimDriver) -> str | None:
    """Return the driver's name of a GPU: the one in the pool's label, or the first of its possible
    names."""
    whole = model.whole or model
    vendor = hardware.vendor(whole.vendor)
    labeller = hardware.labellers().get(str(vendor.labeller)) if vendor else None
    if labeller is None or labeller.product is None:
        return None
    label = pool.labels.get(labeller.product) or next(iter(labeller.values_of(whole)), None)
    if label is None or not driver.blanks:
        return label
    name = hardware.split_product(label).name
    once = any(word in name for word in _HYPHENED)
    return name.replace("-", " ", 1 if once else -1)


def _classes(pools: Iterable[Pool]) -> Mapping[str, DeviceClass]:
    """Return the classes of the drivers' charts, those that pools name, and those behind their
    resources."""
    from gpuspec.spec import model_of

    device_classes: dict[str, DeviceClass] = {}
    for pool in pools:
        dra, driver = pool.gpu.dra, hardware.claim_driver(model_of(pool).vendor)
        if dra is None or driver is None:
            continue
        partition = driver.partition if driver.partition != driver.whole else None
        for name, kind in ((driver.whole, "whole"), (partition, "partition")):
            if name is not None:
                extended = driver.extended or "" if kind == "whole" else ""
                device_classes[name] = DeviceClass(
                    name, (_means(driver, kind, partition),), extended
                )
        if dra.device_class is not None and dra.device_class not in device_classes:
            of = (f"device.driver == '{driver.driver}'",)
            device_classes[dra.device_class] = DeviceClass(dra.device_class, of)
        if dra.by == "extended-resource":
            device_classes |= _extended(pool, driver, device_classes)
    return device_classes


def _means(driver: ClaimDriver, kind: str, partition: str | None) -> str:
    of = f"device.driver == '{driver.driver}'"
    if not driver.type or kind not in driver.types or partition is None:
        return of
    return f"{of} && device.attributes['{driver.driver}'].{driver.type} == '{driver.types[kind]}'"


def _extended(
    pool: Pool, driver: ClaimDriver, device_classes: Mapping[str, DeviceClass]
) -> dict[str, DeviceClass]:
    """Return a class for each resource of a pool that no class of the driver backs."""
    from gpuspec.fleet.advertised import advertised
    from gpuspec.spec import model_of

    extended_classes: dict[str, DeviceClass] = {}
    model = model_of(pool)
    behind = {device_class.extended for device_class in device_classes.values()}
    for resource in advertised(pool, model):
        profile = model.profile(resource)
        kind = "whole" if profile is None else "partition"
        if resource in behind:
            continue
        selectors = [_means(driver, kind, driver.partition)]
        if profile is not None and driver.profile:
            name = f"device.attributes['{driver.driver}'].{driver.profile}"
            selectors.append(f"{name} == '{profile.name}'")
        extended_classes[resource] = DeviceClass(resource, tuple(selectors), resource)
    return extended_classes
