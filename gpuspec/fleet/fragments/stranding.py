"""Idle devices that no class can use, and what they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fragments.state import PODS
from gpuspec.fleet.fragments.use import usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fragments.classes import Class
    from gpuspec.fleet.fragments.state import State


class Strand(msgspec.Struct, frozen=True):
    """Devices of one node that are idle, alike, and of no use to any class."""

    device: str
    """Their resource name."""
    left: int
    """Thousandths of a GPU that each has left."""
    devices: int
    resource: str | None
    """What is used up beside them, by its Kubernetes name: the devices' own where there are too
    few or too little is left of each. None where no class is for them at all."""

    @property
    def milli(self) -> int:
        """Thousandths of a GPU of all of them."""
        return self.left * self.devices


def stranded(state: State, classes: Sequence[Class]) -> tuple[Strand, ...]:
    """The idle devices of a node that no class can use, those with most left first."""
    serving = [one for one in classes if usable(state, one)]
    found: list[Strand] = []
    for device, idle in sorted(state.idle.items()):
        least = min((one.least for one in serving if one.device == device), default=None)
        lost = [left for left in idle if left and (least is None or left < least)]
        for left in sorted(set(lost), reverse=True):
            resource = _binding(state, device, left, classes)
            found.append(Strand(device, left, lost.count(left), resource))
    return tuple(found)


def _binding(state: State, device: str, left: int, classes: Sequence[Class]) -> str | None:
    """The resource of which more would serve the most demand.

    Where each class lacks several, the one that the most demand lacks.
    """
    alone: dict[str, int] = {}
    among: dict[str, int] = {}
    for one in classes:
        eligible = one.kinds is None or state.kind in one.kinds
        if not one.count or one.device != device or not eligible:
            continue
        lacks = _lacks(state, one, left)
        for name in lacks:
            among[name] = among.get(name, 0) + one.weight
        if len(lacks) == 1:
            alone[lacks[0]] = alone.get(lacks[0], 0) + one.weight
    found = alone or among
    return min(found, key=lambda name: (-found[name], name)) if found else None


def _lacks(state: State, one: Class, left: int) -> list[str]:
    """What keeps the class from a device with so much left."""
    free = state.free
    found = [name for name, asked in one.requests.items() if free.get(name, 0) < asked]
    if free.get(PODS, 1) < 1 and PODS not in found:
        found.append(PODS)
    enough = sum(each >= one.least for each in state.idle.get(one.device, ()))
    if enough < one.count or left < one.least:
        found.append(one.device)
    return found
