"""Count devices as resources: those of a node, and those that a pod's claims take. kube-scheduler
does not count them this way; reports, capacities and drawings do.

The names are gpuspec's own.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec.hardware import claim_drivers, mig_resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.claims.model import Allocation, Claim, DeviceAlternative, SliceDevice
    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape

PREFIX = "resourceclaims/"
NVIDIA = "gpu.nvidia.com"
_PARTS = "mig.nvidia.com"


def resource_of(device: SliceDevice) -> str | None:
    """Return the name that a device counts under.

    None for a device that exists only until others are allocated: a share, or a partition that is
    created on request.
    """
    if device.shared:
        return None
    driver = device.id.driver
    if driver != NVIDIA:
        return None if device.consumes else PREFIX + driver
    match device.attributes.get("type"):
        case (_, "gpu"):
            return PREFIX + driver
        case (_, "mig") if not device.consumes:
            profile = device.attributes.get("profile")
            return PREFIX + (f"{_PARTS}/{profile[1]}" if profile else _PARTS)
    return None


def counts_of(devices: ClusterDevices, node: FleetNode) -> dict[str, int]:
    """Return how many devices of each name a node has."""
    names = (resource_of(device) for pool in devices.pools(node) for device in pool.devices)
    return dict(Counter(name for name in names if name is not None))


def taken(devices: ClusterDevices, allocations: Iterable[Allocation]) -> dict[str, int]:
    """Return how many devices of each name some claims have."""
    names = {device.id: resource_of(device) for device in devices.all()}
    devices_taken: Counter[str] = Counter()
    for allocation in allocations:
        for device in allocation.taken:
            name = names.get(device.device)
            if name is not None and not device.admin:
                devices_taken[name] += 1
    return dict(devices_taken)


def asked(devices: ClusterDevices, claims: Iterable[Claim]) -> dict[str, int]:
    """Return the least number of devices of each name that a pod's own claims take.

    Of alternatives the smallest number; none for a request that devices of several names could
    meet.
    """
    devices_requested: Counter[str] = Counter()
    for claim in claims:
        for request in claim.requests if not claim.name else ():
            names = frozenset[str | None]().union(*(_names(devices, ask) for ask in request.asks))
            counts = [ask.count for ask in request.asks if not ask.admin]
            if len(names) != 1 or None in names or None in counts or not counts:
                continue
            (name,) = names
            assert name is not None
            devices_requested[name] += min(count or 0 for count in counts)
    return dict(devices_requested)


def _names(devices: ClusterDevices, ask: DeviceAlternative) -> frozenset[str | None]:
    key = ask.device_class, ask.selectors
    names = devices.names.get(key)
    if names is None:
        names = devices.names[key] = frozenset(map(resource_of, devices.selected(ask)))
    return names


def held(shape: Shape, devices: ClusterDevices, pod: str) -> Shape:
    """Return the shape of a running pod: with its allocated devices, and without further claims."""
    requests = {name: n for name, n in shape.requests.items() if not name.startswith(PREFIX)}
    requests |= taken(devices, devices.held((pod, None)))
    return msgspec.structs.replace(shape, requests=requests, claims=(), unknown_devices="")


def gpus_of(shape: Shape) -> int:
    """Return the GPUs, and parts of GPUs, that a pod's own claims take."""
    return sum(n for name, n in shape.requests.items() if is_gpu(name))


def is_gpu(name: str) -> bool:
    """Return whether devices that count under a name are GPUs or parts of GPUs."""
    return name in _gpu_names() or name.startswith(f"{PREFIX}{_PARTS}")


@cache
def _gpu_names() -> frozenset[str]:
    return frozenset(PREFIX + claim_driver.driver for claim_driver in claim_drivers().values())


def billed(requests: Mapping[str, int]) -> Mapping[str, int]:
    """Return amounts as quotas count them: devices of claims under the resource that a plugin would
    have."""
    if not any(name.startswith(PREFIX) for name in requests):
        return requests
    billed_amounts: dict[str, int] = {}
    for name, amount in requests.items():
        key = _billed(name)
        if key is not None:
            billed_amounts[key] = billed_amounts.get(key, 0) + amount
    return billed_amounts


def _billed(name: str) -> str | None:
    if not name.startswith(PREFIX):
        return name
    device_class = name.removeprefix(PREFIX)
    if device_class.startswith(f"{_PARTS}/"):
        return mig_resource(device_class.removeprefix(f"{_PARTS}/"))
    drivers = (
        claim_driver
        for claim_driver in claim_drivers().values()
        if claim_driver.driver == device_class
    )
    return next((driver.extended for driver in drivers if driver.extended), None)
