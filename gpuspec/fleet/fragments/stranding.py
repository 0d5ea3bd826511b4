"""Idle devices that no class can use, and the resource that they lack."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fragments.state import PODS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fragments.crowd import Point
    from gpuspec.fleet.fragments.metric import Family, Metric
    from gpuspec.fleet.fragments.state import State

_ANY = 1 << 62
"""An amount that is sufficient for every class."""


class Strand(msgspec.Struct, frozen=True):
    """Equal idle devices of one node that no class can use."""

    device: str
    """Their resource name."""
    left: int
    """Free thousandths of a GPU on each."""
    devices: int
    resource: str | None
    """The exhausted resource, by its Kubernetes name: the devices' own name if they are too few or
    too little of each is left. None if no class requests them."""

    @property
    def milli(self) -> int:
        """Thousandths of a GPU, in total."""
        return self.left * self.devices


def stranded(state: State, metric: Metric) -> tuple[Strand, ...]:
    """Return the idle devices of a node that no class can use, those with most left first."""
    families = metric.families(state.kind)
    levels = metric.levels(state) if any(map(sum, state.idle.values())) else ()
    strands: list[Strand] = []
    for device, idle in sorted(state.idle.items()):
        if not any(idle):
            continue
        asking = [family for family in families if family.device == device]
        serving = (family.least for family in asking if _serves(family, state, levels))
        least = min(serving, default=None)
        lost = [
            idle_share
            for idle_share in idle
            if idle_share and (least is None or idle_share < least)
        ]
        for idle_share in sorted(set(lost), reverse=True):
            resource = _binding(state, idle_share, asking, metric.names, levels)
            strands.append(Strand(device, idle_share, lost.count(idle_share), resource))
    return tuple(strands)


def _serves(family: Family, state: State, levels: Point) -> bool:
    """Return whether any class can use devices of a node."""
    if state.free.get(PODS, 1) < 1 or not _enough(family, state):
        return False
    return family.crowd.has(levels)


def _enough(family: Family, state: State) -> bool:
    return (
        sum(idle_share >= family.least for idle_share in state.idle.get(family.device, ()))
        >= family.count
    )


def _binding(
    state: State, idle_share: int, asking: Sequence[Family], names: tuple[str, ...], levels: Point
) -> str | None:
    """Return the resource that the most demand lacks; devices before others.

    If each class lacks several, each of them counts.
    """
    alone: Counter[str] = Counter()
    among: Counter[str] = Counter()
    for family in asking:
        lacks = [PODS] if state.free.get(PODS, 1) < 1 else []
        if idle_share < family.least or not _enough(family, state):
            lacks.append(family.device)
        for name in lacks:
            among[name] += family.crowd.weight
        served = family.crowd.within(levels)
        if len(lacks) == 1:
            alone[lacks[0]] += served
        for at, name in enumerate(names):
            others = tuple(_ANY if at != index else level for index, level in enumerate(levels))
            among[name] += family.crowd.weight - family.crowd.within(others)
            if not lacks:
                but = tuple(_ANY if at == index else level for index, level in enumerate(levels))
                alone[name] += family.crowd.within(but) - served
    binding = +alone or +among
    return (
        min(binding, key=lambda name: (-binding[name], "/" not in name, name)) if binding else None
    )
