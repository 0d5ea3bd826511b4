"""Models by the names of their GGUF files and repositories, and by those of Ollama's library."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache, lru_cache

import msgspec

from gpuspec.models.catalog import KnownModel, known_model, known_models
from gpuspec.models.names import last_part
from gpuspec.models.precision import precisions, said_precision
from gpuspec.models.tables import table
from gpuspec.numbers import read_fraction

_BILLION = 10**9
_HALF = 16
# What quantisation and packing add to a model's name: `Qwen3-8B-GGUF:Q4_K_M`, `x-UD-Q4_K_XL-00001-of-00002.gguf`.
_ADDED = re.compile(
    r"gguf|mxfp4|nvfp4|imatrix|i1|ud|qat|it|i?q[0-9](?:_[0-9kmslxn]+)*|[kmslx0-9]{1,2}|xxs|xs|xl|nl|bf16|f16|fp16|f32|"
    r"[0-9]{5}|of|latest"
)
_SEPARATORS = re.compile(r"[-.:_/]+")
# The 4 bits of tags without a word.
_UNSAID = "q4"


class StoredModel(msgspec.Struct, frozen=True):
    """A known model in the format that a name contains."""

    model: KnownModel
    least: int
    """The minimum size of its weights in bytes."""


@lru_cache(1024)
def stored(name: str) -> StoredModel | None:
    """Return the model in a GGUF file or repository, by its name; None if unknown."""
    last = last_part(name).casefold()
    model = known_model(name)
    for known, one in () if model is not None else _by_last_part():
        rest = last.removeprefix(known)
        if rest != last and all(_ADDED.fullmatch(word) for word in _SEPARATORS.split(rest) if word):
            model = one
            break
    return None if model is None else _stored(model, last, "gguf")


@lru_cache(1024)
def in_library(name: str) -> StoredModel | None:
    """Return the model with a name in Ollama's library: `llama3.1:8b`, `qwen3:14b-q8_0`, `phi4`."""
    family, _, tag = name.casefold().removeprefix("library/").partition(":")
    tags = table("library")["models"].get(family)
    if tags is None:
        return None
    size, _, rest = (tag or "latest").partition("-")
    known = next(iter(tags.values())) if size == "latest" else tags.get(size)
    model = None if known is None else known_model(known)
    return None if model is None else _stored(model, rest, _UNSAID)


def cache_type_bits(dtype: str | None) -> Fraction | None:
    """Return the bits per cached value of llama.cpp, by cache type; None for an unknown type."""
    told = table("precisions")["caches"].get((dtype or "f16").strip().lower())
    return None if told is None else read_fraction(str(told))


def _stored(model: KnownModel, words: str, unsaid: str) -> StoredModel:
    precision = said_precision(words)
    # What is published in fewer bits is converted as it is.
    published = model.precision if model.precision.bits < _HALF else precisions()[unsaid]
    bits = published.bits if precision is None else precision.bits
    return StoredModel(model, math.floor(model.parameters * bits * _BILLION / 8))


@cache
def _by_last_part() -> tuple[tuple[str, KnownModel], ...]:
    """Return models by the last parts of their names, the longest first."""
    models = {
        last_part(name).casefold(): model
        for model in known_models()
        for name in (model.name, *model.also)
    }
    return tuple(sorted(models.items(), key=lambda each: -len(each[0])))
