"""Helpers for several projects: how objects count their pods, and servers that name a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kind, PodGroupKind, Reference
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.kinds.owned import ControllerField
    from gpuspec.manifests import Path


def below(base: str, *patterns: str) -> tuple[str, ...]:
    """Return patterns below another pattern."""
    return tuple(f"{base}.{pattern}" for pattern in patterns)


def listed(
    field: str, name: str, nameless: str, *counts: str, groups: str = ""
) -> Callable[..., PodGroupKind]:
    """Return a function for the pods of list items, each with a name and with numbers that multiply
    (1 when unset).

    `name` is the item's field with its name; `nameless` stands for a missing name. `groups` is the
    object's field with the number of copies of all items.
    """

    def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
        item = mapping(at(value, inside[: inside.index(field) + 2]))
        times = whole(at(value, tuple(groups.split("."))), 1) if groups else 1
        return PodGroupKind(
            text(item.get(name)) or nameless, product(item, *counts), times, gang=True
        )

    return part


def leader_and_workers(field: str) -> Callable[..., PodGroupKind]:
    """Return a function for groups of one leader and its workers, `size` pods in all. `field` holds
    the templates."""

    def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
        spec = mapping(value.get("spec"))
        groups = whole(spec.get("replicas"), 1)
        template = mapping(spec.get(field))
        size = whole(template.get("size"), 1)
        gang = (size or 1) > 1
        if "leaderTemplate" in inside:
            return PodGroupKind("leader", 1, groups, gang)
        # Without a leader's template the leader is made from the workers'.
        leaders = 1 if "leaderTemplate" in template else 0
        return PodGroupKind("worker", None if size is None else size - leaders, groups, gang)

    return part


def product(value: dict[str, Any], *fields: str) -> int | None:
    """Return the product of numbers, each 1 when unset; None if a value is not a number."""
    total = 1
    for field in fields:
        number = whole(at(value, tuple(field.split("."))), 1)
        if number is None:
            return None
        total *= number
    return total


def served(
    group: str,
    name: str,
    *flat: Flat,
    refers: tuple[Reference, ...] = (),
    scaled: str = "",
    sets: tuple[ControllerField, ...] = (),
    starts_server: bool = False,
) -> Kind:
    """Return a kind whose operator creates pods from a model or a runtime."""
    return Kind(
        group,
        name,
        "workload",
        flat=flat,
        refers=refers,
        life="service",
        completed=True,
        image_filled=True,
        own_devices=True,
        scaled=scaled,
        sets=sets,
        starts_server=starts_server,
    )
