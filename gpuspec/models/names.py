"""The size of a model as told by its name: parameters and their format."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import msgspec

from gpuspec.models.precision import Precision, named_precision
from gpuspec.numbers import inexact, read_fraction

# No name of a hub is longer.
_LONGEST = 256
_NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,9})?)[bB](?![A-Za-z0-9])"
_WHOLE = re.compile(r"(?<![\w.])" + _NUMBER)
_MIXTURE = re.compile(r"(?<![\w.])([2-8])[xX]" + _NUMBER)
# `17B-16E` are the parameters at work on one token, and sixteen experts to choose from.
_ACTIVE = re.compile(r"(?<![A-Za-z0-9])[0-9]{1,3}[eE](?![A-Za-z0-9])")
# Of the sum of a mixture's parts: they share embeddings and attention. 8x7B has 46.7 billion of 56,
# 8x22B has 140.6 of 176 (arXiv 2401.04088 and the model cards of Mixtral).
_SHARED = Fraction(4, 5)
_BILLION = 10**9


class NameFacts(msgspec.Struct, frozen=True):
    """The facts in a name."""

    parameters: Fraction
    """Billions of parameters; of a mixture of experts, all of them."""
    precision: Precision

    @property
    def least(self) -> int:
        """The minimum size of the weights in bytes."""
        return math.floor(self.parameters * self.precision.bits * _BILLION / 8)

    @property
    def most(self) -> int:
        """The maximum size of the weights in bytes."""
        return math.ceil(self.parameters * self.precision.most * _BILLION / 8)

    @property
    def words(self) -> str:
        """The calculation of the size, as text."""
        each = inexact(self.precision.bits / 8)
        noun = "byte" if each == 1 else "bytes"
        return f"{inexact(self.parameters):g} billion parameters of {each:g} {noun}"


def last_part(name: str) -> str:
    """Return the last part of a name, without owner or folder."""
    return name.rstrip("/").rpartition("/")[2]


def read_name(name: str) -> NameFacts | None:
    """Return the facts in a model's name or folder; None if it contains none."""
    last = last_part(name)
    if len(last) > _LONGEST or ("b" not in last and "B" not in last):
        return None
    parameters = _parameters(last.replace("_", "-"))
    return None if not parameters else NameFacts(parameters, named_precision(last.lower()))


def _parameters(name: str) -> Fraction | None:
    """Return billions of parameters from the largest number with a B, `Llama-3.1-70B`; numbers of
    active parameters, `A3B` and `E4B`, do not count."""
    mixture = _MIXTURE.search(name)
    if mixture is not None:
        parts, fraction = read_fraction(mixture[1]), read_fraction(mixture[2])
        return None if parts is None or fraction is None else parts * fraction * _SHARED
    if _ACTIVE.search(name):
        return None
    return max(filter(None, map(read_fraction, _WHOLE.findall(name))), default=None)
