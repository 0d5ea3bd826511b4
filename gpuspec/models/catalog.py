"""Known models, by their names on the hub."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import msgspec

from gpuspec.models.precision import Precision, precisions
from gpuspec.models.tables import table
from gpuspec.numbers import of_digits, read_fraction

_BILLION = 10**9
GIB = 1 << 30


class KnownModel(msgspec.Struct, frozen=True, dict=True):
    """A published model."""

    name: str
    also: tuple[str, ...]
    """Further names with the same shape and size, such as the base model."""
    parameters: Fraction
    """Billions of parameters; of a mixture of experts, all of them."""
    precision: Precision
    size: int
    """Size of the weight files in bytes."""
    cache: tuple[int, ...]
    """Factors of the number of cached values per token of context, layers first. Empty if unknown.
    """
    context: int
    """Longest context in tokens."""
    gated: bool
    """Whether a download needs the token of an account that has accepted the licence."""
    source: str

    @cached_property
    def values(self) -> int:
        """The number of cached values per token of context; 0 if unknown."""
        return math.prod(self.cache) if self.cache else 0

    @property
    def heads(self) -> int | None:
        """The number of key-value heads, over which tensor parallelism divides the cache; 0 for
        latent attention, for which each GPU keeps the whole cache. None if unknown."""
        match self.cache:
            case (_, _, heads, _):
                return heads
            case (_, _):
                return 0
        return None


@cache
def known_models() -> tuple[KnownModel, ...]:
    """Return all models of the table, by family."""
    return tuple(_built(name, row) for name, row in table("models")["models"].items())


def known_model(name: str) -> KnownModel | None:
    """Return the model with a name on the hub, ignoring case; None if unknown."""
    found = _rows().get(name.casefold())
    return None if found is None else _built(*found)


@cache
def _rows() -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        one.casefold(): (name, row)
        for name, row in table("models")["models"].items()
        for one in (name, *row.get("also", ()))
    }


def _built(name: str, row: dict[str, Any]) -> KnownModel:
    parameters, precision = _number(row["parameters"]), precisions()[row["precision"]]
    gib = row.get("gib")
    size = parameters * precision.bits * _BILLION / 8 if gib is None else _number(gib) * GIB
    return KnownModel(
        name=name,
        also=tuple(row.get("also", ())),
        parameters=parameters,
        precision=precision,
        size=math.floor(size),
        cache=tuple(map(of_digits, row["cache"].split(" × "))) if "cache" in row else (),
        context=row["context"],
        gated=row.get("gated", False),
        source=table("models")["sources"][row["source"]],
    )


def _number(written: object) -> Fraction:
    number = read_fraction(str(written))
    if number is None:
        raise ValueError(f"models.yaml: {written!r} is no number")
    return number
