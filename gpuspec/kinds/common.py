"""What several projects do alike: how objects count their pods, and servers that name a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kind, PodGroupKind, Reference
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.kinds.owned import ControllerField
    from gpuspec.manifests import Path


def below(base: str, *patterns: str) -> tuple[str, ...]:
    """Return patterns below another."""
    return tuple(f"{base}.{pattern}" for pattern in patterns)


def listed(
    field: str, name: str, nameless: str, *counts: str, groups: str = ""
) -> Callable[..., PodGroupKind]:
    """Return parts that are items of a list: each has a name, and numbers that multiply (1 when
    unset).

    `name` is the item's field that names the part; `nameless` stands for it where there is none.
    `groups` is the object's field that says how many times all parts are there.
    """

    def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
        one = mapping(at(value, inside[: inside.index(field) + 2]))
        times = whole(at(value, tuple(groups.split("."))), 1) if groups else 1
        return PodGroupKind(
            text(one.get(name)) or nameless, product(one, *counts), times, gang=True
        )

    return part


def leader_and_workers(field: str) -> Callable[..., PodGroupKind]:
    """Groups of one leader and workers, `size` in all; the object's field that holds their templates."""

    def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
        spec = mapping(value.get("spec"))
        groups = whole(spec.get("replicas"), 1)
        template = mapping(spec.get(field))
        size = whole(template.get("size"), 1)
        gang = (size or 1) > 1
        if "leaderTemplate" in inside:
            return PodGroupKind("leader", 1, groups, gang)
        # Without a leader's template the leader is made from the workers'.
        own = 1 if "leaderTemplate" in template else 0
        return PodGroupKind("worker", None if size is None else size - own, groups, gang)

    return part


def product(value: dict[str, Any], *fields: str) -> int | None:
    """Return the product of numbers, each 1 when unset; None where one of them is no number."""
    found = 1
    for field in fields:
        each = whole(at(value, tuple(field.split("."))), 1)
        if each is None:
            return None
        found *= each
    return found


def served(
    group: str,
    name: str,
    *flat: Flat,
    refers: tuple[Reference, ...] = (),
    scaled: str = "",
    sets: tuple[ControllerField, ...] = (),
    starts_server: bool = False,
) -> Kind:
    """Return a kind whose operator makes pods of what a model or a runtime says."""
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
