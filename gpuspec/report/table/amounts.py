"""Amounts as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from fractions import Fraction

_GI = 1024**3


def between(least: str, most: str | None) -> str:
    """Return `2`, `2–8`, or `2–?` without an upper bound."""
    return least if least == most else f"{least}–{most or '?'}"


def number(amount: Fraction) -> str:
    """Return cores and devices: `16`, `0.25`; at most three decimals."""
    if amount.denominator == 1:
        return str(amount.numerator)
    return f"{inexact(amount):.3f}".rstrip("0").rstrip(".")


def memory_text(amount: Fraction) -> str:
    """Format memory in Gi with one decimal, so that a column is comparable; below one Gi in Mi."""
    if amount < _GI:
        return f"{-(-amount * 1024 // _GI)}Mi" if amount else "0"
    return f"{inexact(amount / _GI):.1f}".removesuffix(".0") + "Gi"
