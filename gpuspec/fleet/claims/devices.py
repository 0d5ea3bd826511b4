"""The devices of a fleet, the claims on them, and their holders at one moment."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.fleet.claims.allocating import allocate
from gpuspec.fleet.claims.faults import Failed, Invalid, SelectorError, Unjudged, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from gpuspec.fleet.claims.features import Features
    from gpuspec.fleet.claims.model import (
        Allocation,
        Claim,
        DeviceAlternative,
        DeviceClass,
        DeviceId,
        SliceDevice,
    )
    from gpuspec.fleet.claims.model import DeviceReach as Where
    from gpuspec.fleet.claims.pools import DevicePool, Slices
    from gpuspec.fleet.nodes.node import FleetNode

Key = tuple[str, str]
"""Namespace and name of a claim."""
Holder = tuple[str, int | None]
"""A pod: namespace and name, and the number of its workload among those that are placed."""
HOLDERS = 256
"""The most pods that one claim is reserved for."""
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""The prefix of the resource that every class stands for, before the class's name."""
_Answer = tuple["Allocation", ...] | None | Exception


class _Known(NamedTuple):
    """Cached facts about a node, until a claim takes a device there."""

    allocations: dict[tuple[Claim, ...], _Answer]
    sets: dict[tuple[Claim, ...], tuple[int, int]]
    """How often the node can allocate what claims request, and the highest number that was
    requested."""


class ClusterDevices:
    """The free devices of a cluster, and the claims that can use them. Pods are added and removed
    through it.

    Slices and classes do not change; what is known of a node is cached until a claim takes a device
    there.
    """

    def __init__(
        self,
        slices: Slices,
        classes: Mapping[str, DeviceClass],
        claims: Iterable[Claim],
        features: Features,
    ) -> None:
        self.features = features
        self.classes: dict[str, DeviceClass] = {}
        self.taken: Counter[DeviceId] = Counter()
        """Devices that one claim has exclusively."""
        self.shares: dict[DeviceId, list[Mapping[str, Fraction]]] = {}
        """Amounts that claims use of shared devices."""
        self.allocations: dict[Key, Allocation] = {}
        """Allocations of claims, by the claim's key."""
        self.holders: dict[Key, set[Holder]] = {}
        """The pods that each claim is reserved for."""
        self.advertised: frozenset[str] = frozenset()
        """Resources that device plugins advertise on some node."""
        self.apart: frozenset[str] = frozenset()
        """Those of them that other nodes have only for claims."""
        self.names: dict[tuple[str, tuple[str, ...]], frozenset[str | None]] = {}
        """By class and selectors, the names that the selected devices count under."""
        self._standing: dict[str, str] = {}
        self.learn(classes)
        self._slices = slices
        self._pools: dict[str, tuple[DevicePool, ...]] = {}
        self._means: dict[tuple[str, DeviceId], bool | Exception] = {}
        self._own: dict[Holder, list[Allocation]] = {}
        self._known: dict[str, _Known] = {}
        self._alike: dict[str, Claim] = {}
        self._empty: ClusterDevices | None = None
        for claim in claims:
            if claim.allocation is None:
                continue
            self._take(claim.allocation)
            if claim.owner:
                owner = f"{claim.namespace}/{claim.owner}", None
                self._own.setdefault(owner, []).append(claim.allocation)
            else:
                key = claim.namespace, claim.name
                self.allocations[key] = claim.allocation
                self.holders[key] = {(f"{claim.namespace}/{pod}", None) for pod in claim.holders}

    def learn(self, classes: Mapping[str, DeviceClass]) -> None:
        """Add some classes."""
        self.names.clear()
        self._empty = None
        for name, device_class in classes.items():
            self.classes[name] = device_class
            self._standing[f"{_IMPLICIT}{name}"] = name
            if device_class.extended:
                self._standing[device_class.extended] = name

    def copy(self) -> ClusterDevices:
        """Return a copy of the devices; an allocation there does not change this one."""
        cluster_devices = copy(self)
        cluster_devices.taken = self.taken.copy()
        cluster_devices.shares = {key: list(share) for key, share in self.shares.items()}
        cluster_devices.allocations = dict(self.allocations)
        cluster_devices.holders = {key: set(holders) for key, holders in self.holders.items()}
        cluster_devices._own = {key: list(allocations) for key, allocations in self._own.items()}
        cluster_devices._known = {
            node: _Known(dict(known_devices.allocations), dict(known_devices.sets))
            for node, known_devices in self._known.items()
        }
        return cluster_devices

    def empty(self) -> ClusterDevices:
        """Return the same devices without allocations; all callers share them."""
        if self._empty is None:
            cluster_devices = self._empty = copy(self)
            cluster_devices.taken, cluster_devices.shares, cluster_devices._known = (
                Counter(),
                {},
                {},
            )
            cluster_devices.allocations, cluster_devices.holders, cluster_devices._own = {}, {}, {}
        return self._empty

    def __bool__(self) -> bool:
        return bool(self._slices)

    # ------------------------------------------------------------------------------- what there is

    def pools(self, node: FleetNode) -> tuple[DevicePool, ...]:
        """Return the pools that a node can use."""
        device_pools = self._pools.get(node.name)
        if device_pools is None:
            device_pools = self._pools[node.name] = self._slices.on(node)
        return device_pools

    def place(self, device: SliceDevice) -> Where:
        """Return the nodes that can use a device."""
        return self._slices.place(device.id) or device.place

    def means(self, expression: str, device: SliceDevice) -> bool:
        """Return whether an expression selects a device. Raises `Broken` and `Unjudged`."""
        key = expression, device.id
        expression_value = self._means.get(key)
        if expression_value is None:
            from gpuspec.fleet.claims.selecting import means

            try:
                expression_value = means(expression, device)
            except SelectorError as broken:
                expression_value = Unjudged(_untold(expression)) if device.supposed else broken
            except Unreadable:
                expression_value = Unjudged(_untold(expression))
            self._means[key] = expression_value
        if isinstance(expression_value, Exception):
            raise expression_value
        return expression_value

    def counters(self, pool: DevicePool) -> dict[tuple[str, str], Fraction]:
        """Return the remaining counters of a pool."""
        remaining = {
            (name, counter): amount
            for name, counters in pool.counters.items()
            for counter, amount in counters.items()
        }
        for device in (*pool.devices, *pool.away):
            if device.consumes and (device.id in self.taken or device.id in self.shares):
                for name, amounts in device.consumes:
                    for counter, amount in amounts.items():
                        remaining[name, counter] -= amount
        return remaining

    def all(self) -> Iterable[SliceDevice]:
        """Return all devices."""
        return self._slices.devices()

    def selected(self, ask: DeviceAlternative) -> tuple[SliceDevice, ...]:
        """Return all devices of the fleet that a request selects, as far as it can be evaluated."""
        device_class = self.classes.get(ask.device_class)
        selectors = (*(device_class.selectors if device_class else ()), *ask.selectors)
        return tuple(
            device for device in self._slices.devices() if self._is_meant(selectors, device)
        )

    def _is_meant(self, selectors: Iterable[str], device: SliceDevice) -> bool:
        try:
            return all(self.means(selector, device) for selector in selectors)
        except (SelectorError, Unjudged):
            return False

    def standing_for(self, resource: str) -> str | None:
        """Return the class behind a resource of containers; None without one.

        None too if some node has the resource itself, which takes precedence there: see
        `advertised`.
        """
        if not self.features.extended or resource in self.advertised:
            return None
        return self._standing.get(resource)

    def behind(self) -> Iterable[tuple[str, str]]:
        """Return resources that are backed by classes, each with its class."""
        return self._standing.items() if self.features.extended else ()

    # ------------------------------------------------------------------------------- who has what

    def wanted(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """Return those of some claims that are not allocated yet."""
        return tuple(claim for claim in claims if self.allocation(claim) is None)

    def allocation(self, claim: Claim) -> Allocation | None:
        """Return the allocation of a claim; None if it has none yet."""
        return self.allocations.get((claim.namespace, claim.name)) if claim.name else None

    def alike(self, claim: Claim) -> Claim:
        """Return the first of the pods' own claims that requests the same."""
        if claim.name or claim.allocation is not None:
            return claim
        asks = claim.namespace, claim.requests, claim.constraints, claim.unread
        return self._alike.setdefault(repr(asks), claim)

    def _of(self, node: FleetNode) -> _Known:
        known_devices = self._known.get(node.name)
        if known_devices is None:
            known_devices = self._known[node.name] = _Known({}, {})
        return known_devices

    def offer(self, node: FleetNode, claims: tuple[Claim, ...]) -> tuple[Allocation, ...] | None:
        """Return what a node allocates to claims without an allocation. See `allocate`."""
        allocations = self._of(node).allocations
        if claims not in allocations:
            try:
                allocations[claims] = allocate(self, node, claims)
            except (Failed, Invalid, Unjudged) as error:
                allocations[claims] = error
        allocation = allocations[claims]
        if isinstance(allocation, Exception):
            raise allocation
        return allocation

    def sets(self, node: FleetNode, claims: tuple[Claim, ...], most: int) -> int:
        """Return for how many pods a node could allocate what these claims request, up to `most`.

        A shared claim is allocated once.
        """
        if any(claim.name for claim in claims):
            # Who has a claim by name must not lose it when these pods are gone again.
            return self.copy()._fills(node, claims, most)
        known_devices = self._of(node)
        sets_found, most_asked = known_devices.sets.get(claims, (0, 0))
        if sets_found == most_asked < most:
            known_before, self._known = self._known, {node.name: known_devices}
            sets_found = self._fills(node, claims, most)
            for number in range(sets_found):
                self.release(("", -1 - number))
            self._known = known_before
            known_devices.sets[claims] = sets_found, most
        return min(sets_found, most)

    def _fills(self, node: FleetNode, claims: tuple[Claim, ...], most: int) -> int:
        """Allocate for as many pods as a node has devices for; returns how many."""
        sets_found = 0
        while sets_found < most and self._serves(node, claims):
            if not self.wanted(claims):
                return most
            self.take(node, ("", -1 - sets_found), claims)
            sets_found += 1
        return sets_found

    def _serves(self, node: FleetNode, claims: tuple[Claim, ...]) -> bool:
        """Return whether pods with these claims can run on a node now."""
        allocations = [self.allocation(claim) for claim in claims]
        if not all(
            allocation is None or allocation.met(node.name, node.labels)
            for allocation in allocations
        ):
            return False
        claims_wanted = self.wanted(claims)
        try:
            return not claims_wanted or self.offer(node, claims_wanted) is not None
        except (Failed, Invalid, Unjudged):
            return False

    def take(self, node: FleetNode, pod: Holder, claims: Sequence[Claim]) -> None:
        """Allocate what a pod's claims request, on the pod's node."""
        claims_wanted = self.wanted(claims)
        allocations = self.offer(node, claims_wanted) if claims_wanted else ()
        for claim, allocation in zip(claims_wanted, allocations or (), strict=False):
            self._take(allocation)
            if claim.name:
                self.allocations[claim.namespace, claim.name] = allocation
            else:
                self._own.setdefault(pod, []).append(allocation)
        for claim in claims:
            if claim.name:
                self.holders.setdefault((claim.namespace, claim.name), set()).add(pod)

    def release(self, pod: Holder) -> None:
        """Release a pod's own claims, and those that no other pod uses."""
        for allocation in self._own.pop(pod, ()):
            self._take(allocation, -1)
        for key, holders in self.holders.items():
            if pod in holders:
                holders.discard(pod)
                if not holders and key in self.allocations:
                    self._take(self.allocations.pop(key), -1)

    def held(self, pod: Holder) -> list[Allocation]:
        """Return the allocations of a pod's own claims."""
        return self._own.get(pod, [])

    def idle(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """Return those of some claims that have devices, and that no pod uses."""
        return tuple(
            claim
            for claim in claims
            if self.allocation(claim) is not None
            and not self.holders.get((claim.namespace, claim.name))
        )

    def drop(self, claim: Claim) -> None:
        """Release the devices of an unused claim, as the scheduler does if they block a pod."""
        allocation = self.allocations.pop((claim.namespace, claim.name), None)
        if allocation is not None:
            self._take(allocation, -1)

    def _take(self, allocation: Allocation, by: int = 1) -> None:
        for device in allocation.taken:
            if device.admin:
                continue
            place = self._slices.place(device.device)
            if place is not None and place.node:
                self._known.pop(place.node, None)
            else:
                self._known.clear()
            if device.share:
                had = self.shares.setdefault(device.device, [])
                if by > 0:
                    had.append(device.amounts)
                else:
                    had.remove(device.amounts)
                    if not had:
                        del self.shares[device.device]
            else:
                self.taken[device.device] += by
                if not self.taken[device.device]:
                    del self.taken[device.device]


def _untold(expression: str) -> str:
    return f"the devices that `{expression}` selects are unknown"
