"""Trees of KAI's and Volcano's queues, with their limits.

Sources: KAI Scheduler 0.20 (pkg/apis/scheduling/v2, pkg/scheduler/plugins/proportion, docs/queues),
Volcano 1.15 (its CRDs, pkg/scheduler/plugins/capacity, pkg/webhooks/admission/queues).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.values import mapping, text
from gpuspec.objects.amounts import CPU, MEMORY
from gpuspec.objects.containers import quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

GPU = "gpu"
"""KAI's name for a GPU of any vendor."""


class QueueLimit(msgspec.Struct, frozen=True):
    """The largest amount of a resource that a queue gives, or gives without reclaiming it."""

    most: Fraction
    path: Path


class QueueTree(msgspec.Struct, frozen=True):
    """The fields of one scheduler's queues."""

    scheduler: str
    """The scheduler's name in a sentence."""
    group: str
    parent: str
    """The field of the spec with the parent queue."""
    always: frozenset[str]
    """Queues that exist by default."""
    limits: Callable[[Object], dict[str, QueueLimit]]
    """Function that returns the limits of a queue with all of its children."""


def above(queue: Object, tree: QueueTree, collection: Collection) -> list[Object]:
    """Return a queue and its parents among the files, from the bottom up."""
    objects = [queue]
    while (name := text(objects[-1].spec.get(tree.parent))) and len(objects) < _DEEPEST:
        parent = collection.named(tree.group, "Queue", name)
        if parent is None or parent in objects:
            break
        objects.append(parent)
    return objects


_DEEPEST = 20


def below(queue: Object, tree: QueueTree, collection: Collection) -> list[str]:
    """Return the names of the children of a queue."""
    return [
        obj.name
        for obj in collection.of(tree.group, "Queue")
        if text(obj.spec.get(tree.parent)) == queue.name
    ]


def kai_bounds(queue: Object, field: str) -> dict[str, QueueLimit]:
    """Return the amounts in KAI's field `limit` or `quota`; a missing one is 0, and -1 is
    unlimited."""
    resources = queue.spec.get("resources")
    limits: dict[str, QueueLimit] = {}
    if not isinstance(resources, dict):
        return limits
    for name, unit in _kai_units().items():
        row = mapping(resources.get(name))
        amount = quantity(row.get(field, 0))
        if amount is not None and amount.value >= 0:
            path = ("spec", "resources", name, *((field,) if field in row else ()))
            limits[name] = QueueLimit(amount.value * unit, queue.path(*path))
    return limits


@cache
def _kai_units() -> dict[str, Fraction]:
    from fractions import Fraction

    return {GPU: Fraction(1, 1), CPU: Fraction(1, 1000), MEMORY: Fraction(1000 * 1000, 1)}


def _kai(queue: Object) -> dict[str, QueueLimit]:
    return kai_bounds(queue, "limit")


def _volcano(queue: Object) -> dict[str, QueueLimit]:
    """Return a queue's capability; a resource without an entry, and a zero for CPU or memory, is
    unlimited."""
    limits: dict[str, QueueLimit] = {}
    for name, amount_text in mapping(queue.spec.get("capability")).items():
        amount = quantity(amount_text)
        if isinstance(name, str) and amount is not None:
            if name in (CPU, MEMORY) and amount.value <= 0:
                continue
            limits[name] = QueueLimit(amount.value, queue.path("spec", "capability", name))
    return limits


KAI = QueueTree("KAI", "scheduling.run.ai", "parentQueue", frozenset(), _kai)
VOLCANO = QueueTree(
    "Volcano", "scheduling.volcano.sh", "parent", frozenset({"default", "root"}), _volcano
)
