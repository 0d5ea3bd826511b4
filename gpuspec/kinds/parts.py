"""How objects count their pods: what several projects do alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Part
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.manifests import Path


def below(base: str, *patterns: str) -> tuple[str, ...]:
    """Patterns below another."""
    return tuple(f"{base}.{pattern}" for pattern in patterns)


def listed(field: str, name: str, nameless: str, *counts: str) -> Callable[..., Part]:
    """Parts that are items of a list: each has a name, and numbers that multiply (1 when unset).

    `name` is the item's field that names the part; `nameless` stands for it where there is none.
    """

    def part(value: dict[str, Any], inside: Path) -> Part:
        one = mapping(at(value, inside[: inside.index(field) + 2]))
        count: int | None = 1
        for path in counts:
            each = whole(at(one, tuple(path.split("."))), 1)
            count = None if count is None or each is None else count * each
        return Part(text(one.get(name)) or nameless, count, gang=True)

    return part
