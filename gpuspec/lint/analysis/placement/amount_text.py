"""Amounts of resources in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from fractions import Fraction

_BYTES = ("memory", "storage")
_GIB = 2**30


def shown(name: str, amount: Fraction | int) -> str:
    """Return an amount with the resource's name: ``4 `nvidia.com/gpu` ``, ``64Gi of `memory` ``."""
    if name.endswith(_BYTES) or name.startswith("hugepages-"):
        return f"{inexact(amount / _GIB):.4g}Gi of `{name}`"
    number = amount.numerator if amount.denominator == 1 else f"{inexact(amount):g}"
    return f"{number} `{name}`"
