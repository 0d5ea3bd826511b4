"""Models that a hub gives only to accounts that have accepted their licence."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from gpuspec.models.catalog import known_model
from gpuspec.models.tables import table


def is_gated(name: str) -> bool:
    """Return whether the Hugging Face hub is known to give a model only to such accounts."""
    model = known_model(name)
    if model is not None:
        return model.gated
    return any(fnmatchcase(name, pattern) for pattern in _patterns())


@cache
def _patterns() -> tuple[str, ...]:
    return tuple(row["models"] for row in table("gated")["gated"])
