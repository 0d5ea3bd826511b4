"""The size of a model's weights in bytes: as specified, as published, or from its name.

All calculations use it: space on disk and in host memory, load time, number of GPUs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import msgspec

from gpuspec.models.catalog import known_model
from gpuspec.models.names import last_part, read_name
from gpuspec.models.precision import named_precision, precisions
from gpuspec.models.quantization import methods


class ModelWeights(msgspec.Struct, frozen=True):
    """The weight files of one model."""

    least: int
    """The minimum size in bytes."""
    most: int
    """The maximum size in bytes, which must be kept free for them."""
    bits: Fraction
    """Bits per parameter in the files, as far as the model's name tells."""
    origin: Literal["said", "published", "name"]
    words: str
    """The calculation of the size, as text."""

    def loaded(self, method: str | None = None) -> int | None:
        """Return the minimum bytes in GPU memory with a quantisation method.

        None for an unknown method.
        """
        # Servers compute with 16 bits at most, whatever the files have.
        bits = min(self.bits, precisions()["16bit"].bits)
        if method is not None:
            known = methods().get(method)
            if known is None:
                return None
            if known.online or self.origin != "said":
                bits = min(bits, known.precision.bits)
        return math.floor(self.least * bits / self.bits)


def said_weights(size: int, name: str) -> ModelWeights:
    """Return the weights of a model with a specified size."""
    model = known_model(name)
    precision = named_precision(last_part(name).lower()) if model is None else model.precision
    return ModelWeights(size, size, precision.bits, "said", "as the configuration says")


def published_weights(name: str) -> ModelWeights | None:
    """Return the published weights of exactly this name; None if unknown."""
    model = known_model(name)
    if model is None:
        return None
    words = f"the published size of {last_part(model.name)}"
    return ModelWeights(model.size, model.size, model.precision.bits, "published", words)


@lru_cache(1024)
def weights_of(name: str) -> ModelWeights | None:
    """Return the weights of a model, as published or else from its name; None if both are unknown."""
    published = published_weights(name)
    if published is not None:
        return published
    name_facts = read_name(name)
    if name_facts is None:
        return None
    words = f"the model's name says {name_facts.words}"
    return ModelWeights(name_facts.least, name_facts.most, name_facts.precision.bits, "name", words)
