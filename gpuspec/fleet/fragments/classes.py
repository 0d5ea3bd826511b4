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
    """The resource name of the devices."""
    count: int
    """The number of distinct devices of one pod; a pod with 0 can use no idle GPU."""
    weight: int
    milli: int | None = None
    """Thousandths of each GPU that a pod takes; None takes one counted device of any size."""
    requests: Mapping[str, int] = {}
    """Requests of one pod, in the units of `Node.allocatable`, without devices and the pod slot."""
    kinds: frozenset[str] | None = None
    """The kinds of node on which they can run; None for all."""

    @property
    def least(self) -> int:
        """The thousandths of a GPU that a device must have free."""
        return 1 if self.milli is None else self.milli


def common(classes: Iterable[Class], percent: int = COVERAGE) -> tuple[Class, ...]:
    """Return the classes that make up this part of all demand, the largest first.

    Classes that differ only in name and weight become one, under the first name. Classes of equal
    weight keep their order. Classes without weight are left out.
    """
    merged: dict[object, Class] = {}
    for size_class in classes:
        key = (
            size_class.device,
            size_class.count,
            size_class.milli,
            frozenset(size_class.requests.items()),
            size_class.kinds,
        )
        first = merged.get(key)
        merged[key] = (
            size_class
            if first is None
            else msgspec.structs.replace(first, weight=first.weight + size_class.weight)
        )
    ranked = sorted(merged.values(), key=lambda size_class: -size_class.weight)
    total = sum(size_class.weight for size_class in ranked)
    common_classes: list[Class] = []
    covered = 0
    for size_class in ranked:
        if covered * 100 >= percent * total:
            break
        common_classes.append(size_class)
        covered += size_class.weight
    return tuple(common_classes)
