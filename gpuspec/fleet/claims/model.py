"""Devices, the slices that list them, classes, and claims: as kube-scheduler sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from gpuspec.fleet.scheduler.terms import NodeTerm


class DeviceId(NamedTuple):
    """The identity of a device in a cluster."""

    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


Attribute = tuple[str, str | int | bool]
"""The type as the slice names it (`string`, `int`, `bool`, `version`), and the value."""


class CapacityPolicy(msgspec.Struct, frozen=True):
    """The amounts that a claim may request of a shared capacity."""

    default: Fraction | None = None
    least: Fraction | None = None
    most: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Fraction, ...] = ()


class Capacity(msgspec.Struct, frozen=True):
    """The amount of a capacity that a device has."""

    value: Fraction
    written: str
    policy: CapacityPolicy | None = None


class DeviceTaint(msgspec.Struct, frozen=True):
    """A taint of a device: it excludes claims that do not tolerate it."""

    key: str
    value: str
    effect: str


class DeviceToleration(msgspec.Struct, frozen=True):
    """Taints of devices that a request tolerates."""

    key: str
    operator: str
    value: str
    effect: str

    def tolerates(self, taint: DeviceTaint) -> bool:
        """Return whether it tolerates a taint."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        return self.operator == "Exists" or (
            self.operator in ("", "Equal") and self.value == taint.value
        )


class DeviceReach(msgspec.Struct, frozen=True):
    """The nodes that devices can be used from: one by its name, all, or those that meet a term."""

    node: str = ""
    everywhere: bool = False
    terms: tuple[NodeTerm, ...] | None = None

    def met(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether a node is one of them."""
        if self.node:
            return name == self.node
        if self.everywhere:
            return True
        return any(term.met(name, labels) for term in self.terms or ())

    @property
    def told(self) -> bool:
        """Whether it tells of any nodes."""
        return bool(self.node or self.everywhere or self.terms is not None)


class SliceDevice(msgspec.Struct, frozen=True, eq=False):
    """One device of a slice."""

    id: DeviceId
    attributes: Mapping[str, Attribute]
    """By their names as the slice writes them: without a domain they are of the driver's."""
    capacity: Mapping[str, Capacity]
    consumes: tuple[tuple[str, Mapping[str, Fraction]], ...] = ()
    """Of a partition: counter sets, and what it takes of the counters of each."""
    taints: tuple[DeviceTaint, ...] = ()
    shared: bool = False
    """Whether several claims may have it at once (`allowMultipleAllocations`)."""
    conditional: bool = False
    """Whether pods wait until its driver says that it is ready (`bindingConditions`)."""
    place: DeviceReach = DeviceReach()
    """Where its slice says so for each device."""
    supposed: bool = False
    """Whether no slice tells of it, so that it may have more attributes than are known."""

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute by its full name, `gpu.nvidia.com/productName`."""
        attribute_value = self.attributes.get(name)
        domain, _, bare = name.partition("/")
        return (
            self.attributes.get(bare)
            if attribute_value is None and domain == self.id.driver
            else attribute_value
        )


class ResourceSlice(msgspec.Struct, frozen=True, eq=False):
    """A ResourceSlice: some devices of a pool, or the counters that its partitions share."""

    name: str
    driver: str
    pool: str
    generation: int
    slices: int
    """Of how many the pool is made."""
    place: DeviceReach
    each: bool
    """Whether each device says where it can be used from."""
    devices: tuple[SliceDevice, ...]
    counters: Mapping[str, Mapping[str, Fraction]]


class DeviceClass(msgspec.Struct, frozen=True):
    """A DeviceClass: which devices it means, and the resource that it stands for."""

    name: str
    selectors: tuple[str, ...]
    extended: str = ""


class DeviceAlternative(msgspec.Struct, frozen=True):
    """Devices of one class that a request asks for; one of several where it has alternatives."""

    name: str
    """Of an alternative `request/alternative`."""
    device_class: str
    selectors: tuple[str, ...] = ()
    count: int | None = 1
    """None for all that there are."""
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: Mapping[str, Fraction] = {}
    admin: bool = False
    """Whether it only looks at devices, which stay free for others."""
    unread: str = ""
    """A further requirement that gpuspec does not judge; empty if there is none."""


class ClaimRequest(msgspec.Struct, frozen=True):
    """One request of a claim: the first of its alternatives that can be had."""

    name: str
    asks: tuple[DeviceAlternative, ...]
    alternatives: bool
    """Whether they stand under `firstAvailable`."""


class ClaimConstraint(msgspec.Struct, frozen=True):
    """An attribute that must be the same of all devices of some requests, or different of each."""

    attribute: str
    distinct: bool
    requests: frozenset[str]
    """By name; empty for all."""

    def means(self, ask: DeviceAlternative) -> bool:
        """Return whether it binds the devices of a request or of an alternative."""
        named = self.requests
        return not named or ask.name in named or ask.name.partition("/")[0] in named


class AllocatedDevice(msgspec.Struct, frozen=True):
    """A device that a claim has."""

    ask: str
    device: DeviceId
    admin: bool = False
    share: bool = False
    """Whether it has only a share of it."""
    amounts: Mapping[str, Fraction] = {}
    """What it has of its capacities, where it is shared."""


class Allocation(msgspec.Struct, frozen=True):
    """The allocation of a claim, and the nodes where pods can use it."""

    taken: tuple[AllocatedDevice, ...]
    terms: tuple[NodeTerm, ...] | None = None
    """None for all nodes."""
    timed: bool = True
    """Whether it says when it was made, as schedulers do since 1.36."""

    def met(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether pods can use it on a node."""
        return self.terms is None or any(term.met(name, labels) for term in self.terms)


class Claim(msgspec.Struct, frozen=True, eq=False):
    """A ResourceClaim, or the template of one for each pod (then without a name)."""

    namespace: str
    name: str
    requests: tuple[ClaimRequest, ...]
    constraints: tuple[ClaimConstraint, ...] = ()
    allocation: Allocation | None = None
    holders: tuple[str, ...] = ()
    """The pods that it is reserved for."""
    owner: str = ""
    """The pod that it was made for from a template, or for its extended resources."""
    going: bool = False
    """Whether it is being deleted."""
    unread: str = ""
    """A part of the claim that gpuspec does not judge; empty if there is none."""
