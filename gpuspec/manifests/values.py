"""Plain values as YAML gives them, asked for without trust: the wrong type counts as nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuspec.manifests.paths import Path


def mapping(value: object) -> dict[str, Any]:
    """Return the value where it is a mapping, else an empty one: a wrong type is the schema's to
    say."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def whole(value: object, default: int | None = None) -> int | None:
    """Return a whole number as written, the default where nothing is; None for anything else."""
    if value is None:
        return default
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def at(value: object, path: Path) -> Any:
    """Return the value at a path, or None where there is none."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def is_written(value: object, path: Path) -> bool:
    """Return whether there is anything at a path, and be it null."""
    if not path:
        return True
    inside = at(value, path[:-1])
    step = path[-1]
    if isinstance(inside, dict):
        return step in inside
    return isinstance(inside, list) and isinstance(step, int) and step < len(inside)
