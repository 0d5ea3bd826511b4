"""A broken rule: what is wrong, at which path of the document, and what to write instead."""

from dataclasses import dataclass
from typing import Any

from gpuspec.manifests import Path


@dataclass(frozen=True, slots=True)
class Broken:
    """One rule that a well-formed document breaks."""

    message: str
    path: Path
    hint: str | None = None


def chosen(model: Any, names: tuple[str, ...]) -> list[str]:
    """Which of several alternatives are set (a value that is not None, False or empty)."""
    return [name for name in names if getattr(model, name) not in (None, False, ())]


def camel(name: str) -> str:
    """`config_map` → `configMap`: the name as it is written in YAML."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def exactly_one(model: Any, names: tuple[str, ...], path: Path, what: str) -> list[Broken]:
    """Broken unless exactly one of the alternatives is set."""
    found = chosen(model, names)
    if len(found) == 1:
        return []
    options = ", ".join(camel(name) for name in names)
    if not found:
        return [Broken(f"{what} says no source", path, f"write exactly one of: {options}")]
    both = " and ".join(camel(name) for name in found)
    return [Broken(f"{what} has {both}", path, f"write exactly one of: {options}")]
