"""The pools of devices that a node can use, as listed in their drivers' slices.

Source: k8s.io/dynamic-resource-allocation 1.35.8 and 1.37.2, structured/internal/*/pools_*.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from gpuspec.fleet.claims.features import Features
    from gpuspec.fleet.claims.model import DeviceId, DeviceReach, ResourceSlice, SliceDevice
    from gpuspec.fleet.nodes.node import FleetNode

PoolId = tuple[str, str]
"""Driver and name."""


class DevicePool(msgspec.Struct, frozen=True, eq=False):
    """The devices of one pool that a node can use."""

    id: PoolId
    devices: tuple[SliceDevice, ...] = ()
    away: tuple[SliceDevice, ...] = ()
    """Devices that only other nodes can use."""
    counters: Mapping[str, Mapping[str, Fraction]] = {}
    slices: int = 1
    """The number of slices with these devices."""
    incomplete: bool = False
    """Whether its driver is still writing its slices."""
    invalid: bool = False

    @property
    def usable(self) -> bool:
        """Whether its devices can be allocated."""
        return not (self.incomplete or self.invalid)


class Slices:
    """The slices of a cluster, by the nodes that can use them."""

    def __init__(self, slices: Iterable[ResourceSlice], features: Features) -> None:
        self._features = features
        self._here: dict[str, list[ResourceSlice]] = {}
        self._wide: list[ResourceSlice] = []
        self._pools: dict[PoolId, list[ResourceSlice]] = {}
        self._places: dict[DeviceId, DeviceReach] | None = None
        for one_slice in sorted(slices, key=lambda resource_slice: resource_slice.name):
            resource_slices = (
                self._here.setdefault(one_slice.place.node, [])
                if one_slice.place.node
                else self._wide
            )
            resource_slices.append(one_slice)
            self._pools.setdefault((one_slice.driver, one_slice.pool), []).append(one_slice)

    def __bool__(self) -> bool:
        return bool(self._pools)

    @property
    def wide(self) -> bool:
        """Whether several nodes can use any device."""
        return bool(self._wide)

    def on(self, node: FleetNode) -> tuple[DevicePool, ...]:
        """Return the pools that a node can use, in the order in which they are tried."""
        slices_by_pool: dict[PoolId, list[ResourceSlice]] = {}
        for resource_slice in (*self._here.get(node.name, ()), *self._wide):
            if not self._relevant(resource_slice, node):
                continue
            key = resource_slice.driver, resource_slice.pool
            had = slices_by_pool.get(key)
            if had is None or resource_slice.generation > had[0].generation:
                slices_by_pool[key] = [resource_slice]
            elif resource_slice.generation == had[0].generation:
                had.append(resource_slice)
        pools = [
            device_pool
            for key, resource_slices in slices_by_pool.items()
            if (device_pool := self._pool(key, resource_slices, node))
        ]
        return tuple(sorted(pools, key=lambda pool: (_conditional(pool), pool.id)))

    def devices(self) -> Iterator[SliceDevice]:
        """Yield all devices."""
        for slices in self._pools.values():
            newest = max(resource_slice.generation for resource_slice in slices)
            for resource_slice in slices:
                if resource_slice.generation == newest:
                    yield from resource_slice.devices

    def place(self, device: DeviceId) -> DeviceReach | None:
        """Return the nodes that can use a device; None for a device in no slice."""
        if self._places is None:
            self._places = {
                device.id: device.place if resource_slice.each else resource_slice.place
                for slices in self._pools.values()
                for resource_slice in slices
                for device in resource_slice.devices
            }
        return self._places.get(device)

    def _relevant(self, resource_slice: ResourceSlice, node: FleetNode) -> bool:
        if not self._features.partitions and (resource_slice.each or resource_slice.counters):
            return False
        if resource_slice.place.told:
            return resource_slice.place.met(node.name, node.labels)
        return resource_slice.each and any(
            device.place.met(node.name, node.labels) for device in resource_slice.devices
        )

    def _pool(self, key: PoolId, slices: list[ResourceSlice], node: FleetNode) -> DevicePool | None:
        first = slices[0]
        whole: Sequence[ResourceSlice] = slices
        if len(slices) != first.slices:
            newest = max(pool.generation for pool in self._pools[key])
            if newest > first.generation:
                return None
            whole = [
                resource_slice
                for resource_slice in self._pools[key]
                if resource_slice.generation == first.generation
            ]
            if len(whole) != first.slices:
                return DevicePool(key, incomplete=True)
        names = [device.id.name for resource_slice in slices for device in resource_slice.devices]
        if len(set(names)) != len(names):
            return DevicePool(key, invalid=True)
        slice_names = {resource_slice.name for resource_slice in slices}
        away = [
            device
            for resource_slice in whole
            if resource_slice.name not in slice_names
            for device in resource_slice.devices
        ]
        counters = self._counters(whole)
        if counters is None:
            return DevicePool(key, invalid=True)
        usable: list[SliceDevice] = []
        for resource_slice in slices:
            for device in resource_slice.devices:
                # What other nodes use of a slice takes of its counters too.
                met = not resource_slice.each or device.place.met(node.name, node.labels)
                (usable if met else away).append(device)
        if self._features.partitions and not all(
            _counted(device, counters) for device in usable + away
        ):
            return DevicePool(key, invalid=True)
        return DevicePool(key, tuple(usable), tuple(away), counters, len(slices))

    def _counters(
        self, slices: Iterable[ResourceSlice]
    ) -> dict[str, Mapping[str, Fraction]] | None:
        """Return the counter sets of a pool; None if two have one name."""
        counter_sets: dict[str, Mapping[str, Fraction]] = {}
        for resource_slice in slices if self._features.partitions else ():
            for name, counters in resource_slice.counters.items():
                if name in counter_sets:
                    return None
                counter_sets[name] = counters
        return counter_sets


def _counted(device: SliceDevice, counters: Mapping[str, Mapping[str, Fraction]]) -> bool:
    """Return whether the counters of a device exist."""
    return all(
        name in counters and amounts.keys() <= counters[name].keys()
        for name, amounts in device.consumes
    )


def _conditional(pool: DevicePool) -> bool:
    """Return the pools, with those last whose devices need preparation."""
    return any(device.conditional for device in pool.devices)
