"""What differs, for programs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gpuspec.escaping.formats import json_text
from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from gpuspec.diff import Diff


def diff_json(diff: Diff) -> str:
    """Return an object with the fields of `Diff`, all of them always there, in that order, and
    `level`.

    `level` is null where there is no difference. Amounts are cores, bytes and devices; a `most` of
    null has no bound.
    """
    from msgspec import to_builtins

    made: dict[str, Any] = to_builtins(diff, enc_hook=_number)
    return json_text({"old": made.pop("old"), "new": made.pop("new"), "level": diff.level, **made})


def _number(value: Any) -> int | float:
    assert isinstance(value, Fraction)
    return value.numerator if value.denominator == 1 else inexact(value)
