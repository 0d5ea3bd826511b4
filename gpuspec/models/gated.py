"""Gated models: only accounts that have accepted their licence can download them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from gpuspec.models.catalog import known_model
from gpuspec.models.tables import table


def is_gated(name: str) -> bool:
    """Return whether a model is known to be gated on the Hugging Face hub."""
    model = known_model(name)
    if model is not None:
        return model.gated
    return any(fnmatchcase(name, pattern) for pattern in _patterns())


@cache
def _patterns() -> tuple[str, ...]:
    return tuple(row["models"] for row in table("gated")["gated"])
