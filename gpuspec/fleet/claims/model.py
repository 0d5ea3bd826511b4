"""The types of devices, slices, classes and claims, as kube-scheduler uses them."""

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
    """The nodes that can use devices: one by its name, all, or those that match a term."""

    node: str = ""
    everywhere: bool = False
    terms: tuple[NodeTerm, ...] | None = None

    def met(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether a node can use the devices."""
        if self.node:
            return name == self.node
        if self.everywhere:
            return True
        return any(term.met(name, labels) for term in self.terms or ())

    @property
    def told(self) -> bool:
        """Whether it names any nodes."""
        return bool(self.node or self.everywhere or self.terms is not None)


class SliceDevice(msgspec.Struct, frozen=True, eq=False):
    """One device of a slice."""

    id: DeviceId
    attributes: Mapping[str, Attribute]
    """Attributes by their names in the slice; a name without a domain belongs to the driver."""
    capacity: Mapping[str, Capacity]
    consumes: tuple[tuple[str, Mapping[str, Fraction]], ...] = ()
    """For a partition: its counter sets, and the amount that it takes of each counter."""
    taints: tuple[DeviceTaint, ...] = ()
    shared: bool = False
    """Whether several claims can use it at once (`allowMultipleAllocations`)."""
    conditional: bool = False
    """Whether pods wait until its driver reports that it is ready (`bindingConditions`)."""
    place: DeviceReach = DeviceReach()
    """The nodes of this device, if its slice states them for each device."""
    supposed: bool = False
    """Whether it is derived from a profile, so that it may have further attributes."""

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
    """The number of slices of the pool."""
    place: DeviceReach
    each: bool
    """Whether each device states its nodes."""
    devices: tuple[SliceDevice, ...]
    counters: Mapping[str, Mapping[str, Fraction]]


class DeviceClass(msgspec.Struct, frozen=True):
    """A DeviceClass: a selection of devices, and the extended resource for them."""

    name: str
    selectors: tuple[str, ...]
    extended: str = ""


class DeviceAlternative(msgspec.Struct, frozen=True):
    """Devices of one class that a request asks for; one of several alternatives, if it has some."""

    name: str
    """The name; for an alternative `request/alternative`."""
    device_class: str
    selectors: tuple[str, ...] = ()
    count: int | None = 1
    """The number of devices; None for all."""
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: Mapping[str, Fraction] = {}
    admin: bool = False
    """Whether it only has admin access to devices, which stay free for others."""
    unread: str = ""
    """A further requirement that gpuspec does not judge; empty if there is none."""


class ClaimRequest(msgspec.Struct, frozen=True):
    """One request of a claim: the first available one of its alternatives."""

    name: str
    asks: tuple[DeviceAlternative, ...]
    alternatives: bool
    """Whether they come from `firstAvailable`."""


class ClaimConstraint(msgspec.Struct, frozen=True):
    """An attribute that must be equal, or distinct, among all devices of some requests."""

    attribute: str
    distinct: bool
    requests: frozenset[str]
    """The names of the requests; empty for all."""

    def means(self, ask: DeviceAlternative) -> bool:
        """Return whether it applies to the devices of a request or of an alternative."""
        named_requests = self.requests
        return (
            not named_requests
            or ask.name in named_requests
            or ask.name.partition("/")[0] in named_requests
        )


class AllocatedDevice(msgspec.Struct, frozen=True):
    """A device in a claim's allocation."""

    ask: str
    device: DeviceId
    admin: bool = False
    share: bool = False
    """Whether the claim has only a share of it."""
    amounts: Mapping[str, Fraction] = {}
    """The claim's amounts of its capacities, if it is shared."""


class Allocation(msgspec.Struct, frozen=True):
    """The allocation of a claim, and the nodes where pods can use it."""

    taken: tuple[AllocatedDevice, ...]
    terms: tuple[NodeTerm, ...] | None = None
    """None for all nodes."""
    timed: bool = True
    """Whether it has the time of its creation, which schedulers add since 1.36."""

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
    """The pod that it was created for, from a template or for its extended resources."""
    going: bool = False
    """Whether it is being deleted."""
    unread: str = ""
    """A part of the claim that gpuspec does not judge; empty if there is none."""
