"""Decide whether a node has the devices that claims request, and which it would allocate.

Source: k8s.io/dynamic-resource-allocation 1.35.8 and 1.37.2,
structured/internal/{stable,incubating}: every device is tried for every request in the order of
pools and devices, and the first complete solution counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpuspec.fleet.claims.amounts import consumed, enough
from gpuspec.fleet.claims.constraints import Binding
from gpuspec.fleet.claims.faults import Failed, Invalid, SelectorError, Unjudged
from gpuspec.fleet.claims.model import AllocatedDevice, Allocation
from gpuspec.fleet.claims.stock import called, own, tolerated
from gpuspec.fleet.scheduler.selectors import LabelRequirement, Selector
from gpuspec.fleet.scheduler.terms import NodeTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from gpuspec.fleet.claims.model import (
        Claim,
        DeviceAlternative,
        DeviceId,
        SliceDevice,
    )
    from gpuspec.fleet.claims.pools import DevicePool
    from gpuspec.fleet.claims.stock import Stock
    from gpuspec.fleet.nodes.node import FleetNode

MOST = 32
"""The most devices of one claim."""
_STEPS = 50_000
"""The most attempts before the search is given up: the scheduler has ten seconds."""
_NAME = "metadata.name"
_CHANCE = (
    "an expression of its claims fails on some devices, and the order of the devices is random"
)
_NO_KEY = "no such key:"
_GUARD = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with "
    "has() for optional fields"
)


class _TooMany(Exception):
    """More devices than a claim may have."""


class _Candidate(NamedTuple):
    device: SliceDevice
    pool: DevicePool


def allocate(
    devices: Stock, node: FleetNode, claims: Sequence[Claim]
) -> tuple[Allocation, ...] | None:
    """Return the devices that a node allocates to each of some claims; None if it has too few.

    Raises `Failed`, `Invalid` and `Unjudged`.
    """
    try:
        return _Search(devices, node, claims).run()
    except RecursionError:
        # Each device is a few frames deeper: some hundred in all claims of a pod.
        raise Unjudged("its claims ask for too many devices together") from None


class _Search:
    def __init__(self, devices: Stock, node: FleetNode, claims: Sequence[Claim]) -> None:
        self._devices = devices
        self._features = devices.features
        self._node = node
        self._claims = claims
        self._pools = devices.pools(node)
        self._found: list[list[AllocatedDevice]] = [[] for _ in claims]
        self._given: list[list[SliceDevice]] = [[] for _ in claims]
        self._bindings = [
            [Binding(constraint) for constraint in claim.constraints] for claim in claims
        ]
        self._taking: dict[DeviceId, list[int]] = {}
        self._shares: dict[DeviceId, list[Mapping[str, Fraction]]] = {}
        self._counted: dict[tuple[str, str], dict[tuple[str, str], Fraction]] = {}
        self._all: dict[tuple[int, str], list[_Candidate]] = {}
        self._candidates = [
            _Candidate(device, pool)
            for pool in self._pools
            if pool.usable
            for device in pool.devices
        ]
        self._no: dict[tuple[int, str], set[int]] = {}
        self._steps = 0

    def run(self) -> tuple[Allocation, ...] | None:
        """See `allocate`."""
        for number, claim in enumerate(self._claims):
            total = 0
            for request in claim.requests:
                sets_fitting = min(self._least(number, claim, ask) for ask in request.asks)
                if sets_fitting > MOST - total and self._features.names:
                    raise Failed(
                        f"claim {called(claim)}, request {request.name}: adding {sets_fitting} devices "
                        f"exceeds the claim limit of {MOST}, with {total} already accounted for"
                    )
                total += sets_fitting
            if total > MOST:
                raise Failed(
                    f"claim {called(claim)}: number of requested devices {total} exceeds the "
                    f"claim limit of {MOST}"
                )
        try:
            done = self._requests(0, 0)
        except _TooMany:
            done = False
        if done:
            return tuple(
                Allocation(tuple(devices), self._terms(taken_count))
                for devices, taken_count in zip(self._found, self._given, strict=True)
            )
        if any(pool.invalid for pool in self._pools):
            raise Invalid
        return None

    def _least(self, number: int, claim: Claim, ask: DeviceAlternative) -> int:
        """Return the number of devices that a request needs; a request for all devices needs those
        that exist."""
        if ask.unread:
            raise Unjudged(f"its claim {called(claim)} asks for {ask.unread}")
        if ask.capacity and not self._features.capacity:
            raise Failed(
                f"claim {called(claim)}, request {own(ask)}: has capacity requests, but the "
                "DRAConsumableCapacity feature is disabled"
            )
        if ask.count is not None:
            return ask.count
        candidates = self._all[number, ask.name] = []
        for pool in self._pools:
            if not pool.usable:
                state = "currently being updated" if pool.incomplete else "currently invalid"
                raise Failed(
                    f"claim {called(claim)}, request {own(ask)}: asks for all devices, but "
                    f"resource pool {'/'.join(pool.id)} is {state}"
                )
            for device in pool.devices:
                if self._selectable(claim, ask, device) and self._has(ask, device, None):
                    candidates += (_Candidate(device, pool),)
        return len(candidates)

    # ------------------------------------------------------------------------------- the search

    def _requests(self, number: int, at: int) -> bool:
        """Find devices for the requests of a claim from one on, and for the claims after it."""
        if number == len(self._claims):
            return True
        claim = self._claims[number]
        if at == len(claim.requests):
            try:
                return self._requests(number + 1, 0)
            except _TooMany:
                # Another alternative of this claim may leave the next one more.
                return False
        request = claim.requests[at]
        if not request.alternatives:
            return self._devices_of(number, at, request.asks[0], 0, 0)
        too_many = True
        for ask in request.asks:
            try:
                if self._devices_of(number, at, ask, 0, 0):
                    return True
            except _TooMany:
                continue
            too_many = False
        if too_many:
            raise _TooMany
        return False

    def _devices_of(
        self, number: int, at: int, ask: DeviceAlternative, have: int, start: int
    ) -> bool:
        """Find the remaining devices of a request, from an index on in their order."""
        every = ask.count is None
        candidates = self._all[number, ask.name] if every else self._candidates
        device_count = len(candidates) if every else ask.count or 0
        if every and not candidates:
            return False
        if have >= device_count:
            return self._requests(number, at + 1)
        if device_count - have > MOST - len(self._found[number]):
            raise _TooMany
        if every:
            return self._try(number, at, ask, have, have, candidates[have])
        claim, no = self._claims[number], self._no.setdefault((number, ask.name), set())
        for place in range(start, len(candidates)):
            device = candidates[place].device
            if place in no or self._in_use(number, ask, device):
                continue
            if not self._selectable(claim, ask, device):
                no.add(place)
                continue
            if not self._has(ask, device, self._shares.get(device.id, ())):
                continue
            if self._try(number, at, ask, have, place, candidates[place]):
                return True
            if self._short(candidates, place + 1, no, number, ask, device_count - have):
                return False
        return False

    def _short(
        self,
        candidates: list[_Candidate],
        start: int,
        no: set[int],
        number: int,
        ask: DeviceAlternative,
        device_count: int,
    ) -> bool:
        """Return whether too few devices follow, even if all that are not checked yet match."""
        remaining = 0
        for place in range(start, len(candidates)):
            if place not in no and not self._in_use(number, ask, candidates[place].device):
                remaining += 1
                if remaining >= device_count:
                    return False
        return True

    def _try(
        self,
        number: int,
        at: int,
        ask: DeviceAlternative,
        have: int,
        place: int,
        candidate: _Candidate,
    ) -> bool:
        """Allocate a device, and find the rest; without a rest, release it."""
        self._steps += 1
        if self._steps > _STEPS:
            raise Unjudged("too many devices match its claims")
        undo = self._give(number, ask, candidate)
        if undo is None:
            return False
        try:
            if self._devices_of(number, at, ask, have + 1, place + 1):
                return True
        except _TooMany:
            undo()
            raise
        undo()
        return False

    def _give(
        self, number: int, ask: DeviceAlternative, candidate: _Candidate
    ) -> Callable[[], None] | None:
        """Allocate a device to a claim; returns the function that releases it, or None if it cannot
        be allocated."""
        device, pool = candidate
        if self._in_use(number, ask, device):
            return None
        if device.consumes and not self._features.partitions:
            return None
        shared = device.shared and self._features.capacity
        counted = bool(device.consumes) and not (shared and self._is_shared(device.id))
        if counted and not self._count(device, pool):
            return None
        bound: list[Binding] = []

        def back() -> None:
            for claim in bound:
                claim.remove(ask, device)
            if counted:
                self._uncount(device, pool)

        if self._features.taints and not tolerated(device, ask):
            back()
            return None
        for binding in self._bindings[number]:
            if not binding.add(ask, device):
                back()
                if ask.count is None:
                    raise Failed(
                        f"claim {called(self._claims[number])}, request {own(ask)}: cannot add "
                        f"device {device.id} because a claim constraint would not be satisfied"
                    )
                return None
            bound.append(binding)
        if not self._has(ask, device, self._shares.get(device.id, ())):
            back()
            return None
        amounts = consumed(ask, device) if shared else {}
        if shared:
            self._shares.setdefault(device.id, []).append(amounts)
        else:
            self._taking.setdefault(device.id, []).append(number)
        allocated_device = AllocatedDevice(ask.name, device.id, ask.admin, shared, amounts)
        self._found[number].append(allocated_device)
        self._given[number].append(device)

        def undo() -> None:
            self._found[number].pop()
            self._given[number].pop()
            if shared:
                self._shares[device.id].pop()
                if not self._shares[device.id]:
                    del self._shares[device.id]
            else:
                self._taking[device.id].remove(number)
            back()

        return undo

    # ------------------------------------------------------------------------------ one device

    def _in_use(self, number: int, ask: DeviceAlternative, device: SliceDevice) -> bool:
        taking = self._taking.get(device.id, ())
        if ask.admin:
            return number in taking
        return bool(taking) or device.id in self._devices.taken

    def _is_shared(self, device: DeviceId) -> bool:
        return bool(self._shares.get(device)) or device in self._devices.shares

    def _selectable(self, claim: Claim, ask: DeviceAlternative, device: SliceDevice) -> bool:
        try:
            return self._meant(claim, ask, device)
        except Failed:
            if self._by_chance(claim, ask):
                raise Unjudged(_CHANCE) from None
            raise

    def _by_chance(self, claim: Claim, ask: DeviceAlternative) -> bool:
        """Return whether another device may be found before one on which an expression fails."""
        if self._features.ordered or ask.count is None:
            return False
        if sum(pool.slices for pool in self._pools) < 2:
            return False
        return any(self._is_meant(claim, ask, device) for device, _ in self._candidates)

    def _is_meant(self, claim: Claim, ask: DeviceAlternative, device: SliceDevice) -> bool:
        try:
            return self._meant(claim, ask, device)
        except Failed:
            return False

    def _meant(self, claim: Claim, ask: DeviceAlternative, device: SliceDevice) -> bool:
        if device.conditional and not self._features.conditions:
            return False
        device_class = self._devices.classes.get(ask.device_class)
        for origin_words, selectors in (
            (f"class {ask.device_class}", device_class.selectors if device_class else ()),
            (f"claim {called(claim)}", ask.selectors),
        ):
            for index, expression in enumerate(selectors):
                try:
                    if not self._devices.means(expression, device):
                        return False
                except SelectorError as broken:
                    raise Failed(
                        self._fails(f"{origin_words}: selector #{index}", device, broken)
                    ) from None
        return True

    def _fails(self, where: str, device: SliceDevice, broken: SelectorError) -> str:
        more = ""
        if self._features.names:
            where = f"{where} on device {device.id}"
            more = _GUARD if _NO_KEY in str(broken) else ""
        return f"{where}: CEL runtime error: {broken}{more}"

    def _has(
        self,
        ask: DeviceAlternative,
        device: SliceDevice,
        taking: Sequence[Mapping[str, Fraction]] | None,
    ) -> bool:
        """Return whether a device has the requested capacities; for None, whether no claim uses any
        of it."""
        if not self._features.capacity:
            return True
        had = () if taking is None else self._devices.shares.get(device.id, ())
        return enough(ask, device, (*had, *(taking or ())))

    def _count(self, device: SliceDevice, pool: DevicePool) -> bool:
        """Take amounts from the counters of a pool; returns whether each is sufficient."""
        counters = self._counted.get(pool.id)
        if counters is None:
            counters = self._counted[pool.id] = dict(self._devices.counters(pool))
        short = False
        for name, amounts in device.consumes:
            for counter, amount in amounts.items():
                counters[name, counter] -= amount
                short = short or counters[name, counter] < 0
        # A counter that others have overdrawn keeps all partitions of its pool from everybody.
        if short or any(amount < 0 for amount in counters.values()):
            self._uncount(device, pool)
            return False
        return True

    def _uncount(self, device: SliceDevice, pool: DevicePool) -> None:
        counters = self._counted[pool.id]
        for name, amounts in device.consumes:
            for counter, amount in amounts.items():
                counters[name, counter] += amount

    def _terms(self, devices: Sequence[SliceDevice]) -> tuple[NodeTerm, ...] | None:
        """Return the nodes where pods can use some devices."""
        labels: list[LabelRequirement] = []
        names: list[LabelRequirement] = []
        for device in devices:
            place = self._devices.place(device)
            if place.node:
                only = LabelRequirement(_NAME, "In", frozenset({self._node.name}))
                return (NodeTerm(Selector(), (only,)),)
            for term in place.terms or ():
                labels += (
                    condition for condition in term.labels.conditions if condition not in labels
                )
                names += (name for name in term.names if name not in names)
        if not labels and not names:
            return None
        return (NodeTerm(Selector(tuple(labels)), tuple(names)),)
