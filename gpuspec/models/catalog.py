"""Models that are known, by their names in the hub."""

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
    """A model as it is published."""

    name: str
    also: tuple[str, ...]
    """Names of the same shape and size: the model before its training for instructions."""
    parameters: Fraction
    """Billions, all of a mixture's."""
    precision: Precision
    size: int
    """Bytes of the files of the weights."""
    cache: tuple[int, ...]
    """Factors of the numbers that are kept for each token of context: layers first. Empty where
    that is not known."""
    context: int
    """Longest context in tokens."""
    gated: bool
    """A token is needed, of somebody who has accepted its licence."""
    source: str

    @cached_property
    def values(self) -> int:
        """Numbers that are kept for each token of context; 0 where that is not known."""
        return math.prod(self.cache) if self.cache else 0

    @property
    def heads(self) -> int | None:
        """Key-value heads, over which tensor parallelism divides what is kept; 0 where attention is latent,
        and each GPU keeps all of it. None where that is not known."""
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
    """Return the model that a name in the hub means, whatever its case; None for one that is not
    known."""
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
