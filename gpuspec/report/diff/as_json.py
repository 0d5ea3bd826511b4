"""Differences as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_text
from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from gpuspec.diff import Diff


def diff_json(diff: Diff) -> str:
    """Return an object with every field of `Diff` in its order, and `level`.

    `level` is null without a difference. Amounts are cores, bytes and devices; a `most` of null is
    unbounded.
    """
    from msgspec import to_builtins

    fields: dict[str, Any] = to_builtins(diff, enc_hook=_number)
    return json_text(
        {"old": fields.pop("old"), "new": fields.pop("new"), "level": diff.level, **fields}
    )


def _number(value: Any) -> int | float:
    assert isinstance(value, Fraction)
    return value.numerator if value.denominator == 1 else inexact(value)
