"""How many more pods of a class fit on a node, and the resource that limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fragments.state import PODS

if TYPE_CHECKING:
    from gpuspec.fleet.fragments.classes import Class
    from gpuspec.fleet.fragments.state import State


class SlotBound(msgspec.Struct, frozen=True):
    """Slots, and the resource that limits them."""

    slots: int
    resource: str | None
    """Its Kubernetes name; None if nodes of this kind reject such pods."""


def slots(state: State, size_class: Class) -> int:
    """Return the number of pods of the class that fit on the node together."""
    return bound(state, size_class).slots


def bound(state: State, size_class: Class) -> SlotBound:
    """Return the same, with the resource that limits it: the devices in case of a tie."""
    if size_class.kinds is not None and state.kind not in size_class.kinds:
        return SlotBound(0, None)
    bounds: list[tuple[int, str]] = []
    if size_class.count:
        bounds.append((_by_devices(state, size_class), size_class.device))
    free = state.free
    bounds += [
        (free.get(name, 0) // amount, name)
        for name, amount in size_class.requests.items()
        if amount
    ]
    if PODS in free:
        bounds.append((free[PODS], PODS))
    if not bounds:
        return SlotBound(0, None)
    least, name = min(bounds, key=lambda bound: bound[0])
    return SlotBound(max(0, least), name)


def _by_devices(state: State, size_class: Class) -> int:
    """Return the most pods that the devices alone are enough for.

    A device holds as many parts as fit, of different pods. `pods` of them can be laid out exactly
    if the devices hold `pods × count` parts when none gives more than one to each.
    """
    parts = [
        1 if size_class.milli is None else idle_share // size_class.milli
        for idle_share in state.idle.get(size_class.device, ())
        if idle_share >= size_class.least
    ]
    pods = sum(parts) // size_class.count
    while pods and sum(min(pods, part) for part in parts) < pods * size_class.count:
        pods -= 1
    return pods
