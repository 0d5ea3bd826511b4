"""How many bytes the weights of a model take: said, published, or told by its name.

The one answer for all who ask: room on disk and in host memory, time to read, GPUs that hold them.
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
    """The weights of one model, as their files are."""

    least: int
    """Bytes that they take at least."""
    most: int
    """Bytes that they may take: what is to be kept free for them."""
    bits: Fraction
    """Of one parameter; those of the files, as far as the model's name tells them."""
    origin: Literal["said", "published", "name"]
    words: str
    """How the size comes about."""

    def loaded(self, method: str | None = None) -> int | None:
        """Return bytes that they take in GPU memory at least, with a method of quantisation.

        None for a method that is not known.
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
    """Return weights whose size somebody has written down, of a model of that name."""
    model = known_model(name)
    precision = named_precision(last_part(name).lower()) if model is None else model.precision
    return ModelWeights(size, size, precision.bits, "said", "as the configuration says")


def published_weights(name: str) -> ModelWeights | None:
    """Return the weights that a hub has under exactly this name; None where the table does not know
    it."""
    model = known_model(name)
    if model is None:
        return None
    words = f"the published size of {last_part(model.name)}"
    return ModelWeights(model.size, model.size, model.precision.bits, "published", words)


@lru_cache(1024)
def weights_of(name: str) -> ModelWeights | None:
    """Return the weights of a model by its name: as published, else as the name says; None
    without."""
    published = published_weights(name)
    if published is not None:
        return published
    name_facts = read_name(name)
    if name_facts is None:
        return None
    words = f"the model's name says {name_facts.words}"
    return ModelWeights(name_facts.least, name_facts.most, name_facts.precision.bits, "name", words)
