"""Readers of plain data of unknown form: a value of the wrong type counts as missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table(value: object) -> Mapping[str, Any]:
    """Return a mapping; empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings of a list; empty for anything else."""
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text; empty for anything else."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list; empty for anything else."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def pairs(value: object) -> dict[str, str]:
    """Return the texts of a mapping by text, as labels are."""
    mapping = table(value)
    return {k: v for k, v in mapping.items() if isinstance(k, str) and isinstance(v, str)}


def whole(value: object, otherwise: int) -> int:
    """Return a whole number; `otherwise` for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
