"""Access to plain values from YAML: a value of the wrong type counts as missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuspec.manifests.paths import Path


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is a mapping, or else an empty one; the schema check reports a wrong
    type."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return the value if it is a list, or else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the value if it is a string, or else an empty one."""
    return value if isinstance(value, str) else ""


def whole(value: object, default: int | None = None) -> int | None:
    """Return the value if it is an integer, the default if it is missing, and None for anything
    else."""
    if value is None:
        return default
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def at(value: object, path: Path) -> Any:
    """Return the value at a path, or None."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def is_written(value: object, path: Path) -> bool:
    """Return whether a path exists, even with the value null."""
    if not path:
        return True
    inside = at(value, path[:-1])
    step = path[-1]
    if isinstance(inside, dict):
        return step in inside
    return isinstance(inside, list) and isinstance(step, int) and step < len(inside)
