"""How many bytes the weights of a model take: said, published, or told by its name.

The one answer for all who ask: room on disk and in host memory, time to read, GPUs that hold them.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from gpuspec.models.catalog import known_model
from gpuspec.models.names import last_part, read_name


class Weights(msgspec.Struct, frozen=True):
    """The weights of one model."""

    least: int
    """Bytes that they take at least: nothing smaller holds them."""
    most: int
    """Bytes that they may take: what is to be kept free for them."""
    origin: Literal["said", "published", "name"]
    words: str
    """How the size comes about."""


def said_weights(size: int) -> Weights:
    """Weights whose size somebody has written down."""
    return Weights(size, size, "said", "as it is said")


def published_weights(name: str) -> Weights | None:
    """The weights that a hub has under exactly this name; None where the table does not know it."""
    model = known_model(name)
    if model is None:
        return None
    return Weights(model.size, model.size, "published", f"as {last_part(model.name)} is published")


def weights_of(name: str) -> Weights | None:
    """The weights of a model by its name: as published, else as the name says; None without."""
    published = published_weights(name)
    if published is not None:
        return published
    named = read_name(name)
    if named is None:
        return None
    return Weights(named.least, named.most, "name", f"its name says {named.words}")
