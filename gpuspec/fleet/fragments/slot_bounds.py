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


def slots(state: State, one: Class) -> int:
    """Return the number of pods of the class that fit on the node together."""
    return bound(state, one).slots


def bound(state: State, one: Class) -> SlotBound:
    """Return the same, with the resource that limits it: the devices in case of a tie."""
    if one.kinds is not None and state.kind not in one.kinds:
        return SlotBound(0, None)
    found: list[tuple[int, str]] = []
    if one.count:
        found.append((_by_devices(state, one), one.device))
    free = state.free
    found += [(free.get(name, 0) // asked, name) for name, asked in one.requests.items() if asked]
    if PODS in free:
        found.append((free[PODS], PODS))
    if not found:
        return SlotBound(0, None)
    least, name = min(found, key=lambda each: each[0])
    return SlotBound(max(0, least), name)


def _by_devices(state: State, one: Class) -> int:
    """Return the most pods that the devices alone are enough for.

    A device holds as many parts as fit, of different pods. `pods` of them can be laid out exactly
    if the devices hold `pods × count` parts when none gives more than one to each.
    """
    parts = [
        1 if one.milli is None else left // one.milli
        for left in state.idle.get(one.device, ())
        if left >= one.least
    ]
    pods = sum(parts) // one.count
    while pods and sum(min(pods, part) for part in parts) < pods * one.count:
        pods -= 1
    return pods
