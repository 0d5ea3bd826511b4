"""Classes of work: shapes of GPU pods, and their part of the demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COVERAGE = 99


class Class(msgspec.Struct, frozen=True):
    """Pods of one shape.

    `weight` is what they ask for together: pods, times devices of one, times thousandths of a GPU
    that a device is. Weights by number of pods would hide that large pods of a fleet of small ones
    no longer fit (docs/fragmentation.md).
    """

    name: str
    device: str
    """Resource name of the devices."""
    count: int
    """Devices of one pod, each another one; 0 asks for none, and can use no idle GPU."""
    weight: int
    milli: int | None = None
    """Thousandths of each GPU that a pod takes; None takes one counted device of any size."""
    requests: Mapping[str, int] = {}
    """Of one pod, besides devices, in the units of `Node.allocatable`; its pod slot is understood."""
    kinds: frozenset[str] | None = None
    """Of nodes that they may run on; None where all do."""

    @property
    def least(self) -> int:
        """Thousandths that a device must have left."""
        return 1 if self.milli is None else self.milli


def common(classes: Iterable[Class], percent: int = COVERAGE) -> tuple[Class, ...]:
    """Return the classes that make up that part of all demand, the largest first.

    Classes alike but for name and weight become one, under the first name. Those of equal weight
    keep their order. None without weight is among them.
    """
    merged: dict[object, Class] = {}
    for one in classes:
        key = (one.device, one.count, one.milli, frozenset(one.requests.items()), one.kinds)
        first = merged.get(key)
        merged[key] = (
            one
            if first is None
            else msgspec.structs.replace(first, weight=first.weight + one.weight)
        )
    ranked = sorted(merged.values(), key=lambda one: -one.weight)
    total = sum(one.weight for one in ranked)
    kept: list[Class] = []
    covered = 0
    for one in ranked:
        if covered * 100 >= percent * total:
            break
        kept.append(one)
        covered += one.weight
    return tuple(kept)
