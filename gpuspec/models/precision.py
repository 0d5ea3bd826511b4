"""The bits per parameter, by words in a model's name."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gpuspec.models.tables import table
from gpuspec.numbers import read_fraction

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEPARATORS = re.compile(r"[-_.:@ ]+")
# `4-bit` is the word `4bit`.
_BITS = re.compile(r"(?<![a-z0-9.])([1-8])[-_]?bits?(?![a-z0-9])")


class Precision(msgspec.Struct, frozen=True):
    """A format of weights."""

    name: str
    bits: Fraction
    """The minimum bits per parameter."""
    most: Fraction
    """The bits per parameter including scales and the layers that stay at 16 bits."""
    words: tuple[str, ...]
    """The words in names that denote it."""


@cache
def precisions() -> Mapping[str, Precision]:
    """Return all formats by name, in the order in which names are searched for their words."""
    rows = table("precisions")["precisions"].items()
    return MappingProxyType(
        {
            name: Precision(name, _bits(row["bits"]), _bits(row["most"]), tuple(row["words"]))
            for name, row in rows
        }
    )


def said_precision(name: str) -> Precision | None:
    """Return the format in the last part of a name, which must be in lower case."""
    words = set(_SEPARATORS.split(_BITS.sub(r"\1bit", name)))
    return next(
        (precision for precision in precisions().values() if words.intersection(precision.words)),
        None,
    )


def named_precision(name: str) -> Precision:
    """Return the format in the last part of a name, or that of its family, or else 16 bits."""
    precision = said_precision(name)
    if precision is not None:
        return precision
    whole = table("precisions")
    families = whole["families"].items()
    known = next((precision for family, precision in families if family in name), whole["unsaid"])
    return precisions()[known]


def _bits(number: object) -> Fraction:
    fraction = read_fraction(str(number))
    if fraction is None:
        raise ValueError(f"precisions.yaml: {number!r} is no number of bits")
    return fraction
