"""A violation of a rule: the problem, its path in the document, and what to write instead."""

from typing import Any

import msgspec

from gpuspec.manifests import Path


class SpecViolation(msgspec.Struct, frozen=True):
    """A violation of one rule by a document.

    `key`: the problem is the key at the path, not its value. `needs`: other paths on which the
    verdict depends. In a document that is malformed elsewhere, the violation only counts if all of
    them are valid.
    """

    message: str
    path: Path
    hint: str | None = None
    key: bool = False
    needs: tuple[Path, ...] = ()


def chosen(model: Any, names: tuple[str, ...]) -> list[str]:
    """Return the alternatives that are set (a value that is not None, False or empty)."""
    return [name for name in names if getattr(model, name) not in (None, False, ())]


def camel(name: str) -> str:
    """Return `config_map` → `configMap`: the name as it is written in YAML."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def exactly_one(model: Any, names: tuple[str, ...], path: Path, noun: str) -> list[SpecViolation]:
    """Yield a violation unless exactly one of the alternatives is set."""
    set_fields = chosen(model, names)
    if len(set_fields) == 1:
        return []
    options = ", ".join(camel(name) for name in names)
    needs = tuple((*path, camel(name)) for name in names)
    hint = f"write exactly one of: {options}"
    if not set_fields:
        return [SpecViolation(f"{noun} has no source", path, hint, needs=needs)]
    field_list = " and ".join(f"`{camel(name)}`" for name in set_fields)
    at = (*path, camel(set_fields[1]))
    return [SpecViolation(f"{noun} has {field_list}", at, hint, key=True, needs=needs)]
