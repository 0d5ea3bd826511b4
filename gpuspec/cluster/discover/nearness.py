"""Network distance between the nodes of a pool, by the providers' labels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gpuspec import hardware

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.cluster.discover.input import LiveNode


def domain(nodes: Sequence[LiveNode]) -> str | None:
    """Return the label that groups workers on nearby nodes; None if there is no such label.

    The lowest level that divides the nodes and has several of them in one domain, NVLink domains
    before switches.
    """
    telling = [
        (key in family.nvlink, at, key)
        for family in hardware.topologies()
        for at, key in enumerate(family.levels)
        if _divides([node.labels.get(key) for node in nodes])
    ]
    return max(telling, key=lambda found: found[:2])[2] if telling else None


def levels(nodes: Sequence[LiveNode]) -> tuple[str, ...]:
    """Return label keys that all the nodes have, family by family, from the widest level to the
    lowest."""
    return tuple(
        key
        for family in hardware.topologies()
        for key in family.levels
        if all(node.labels.get(key) for node in nodes)
    )


def _divides(values: list[str | None]) -> bool:
    counts = Counter(values)
    return None not in counts and "" not in counts and 1 < len(counts) < len(values)
