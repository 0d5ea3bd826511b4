"""The comparisons and rates in a query; no other parts of PromQL are parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.numbers import read_decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

_LABELS = re.compile(r"\{(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^}\"'])*\}")
_RANGE = re.compile(r"\[[^\]]*\]")
_GROUPING = re.compile(r"\b(by|without)\s*\([^)]*\)")
_OFFSET = re.compile(r"\boffset\s+-?\w+|\bbool\b|#[^\n]*")
_SETS = re.compile(r"\b(?:and|or|unless)\b(?:\s+(?:on|ignoring)\s*\([^)]*\))?")
# What keeps the unit of its argument.
_SAME = r"(?:avg|max|min|(?:avg|max|min|last)_over_time|quantile(?:_over_time)?\s*\(\s*[0-9.]+\s*,)"
_COMPARED = re.compile(
    rf"\(*\s*(?:{_SAME}\s*\(?\s*)*([A-Za-z_:][\w:]*)[\s)]*(>=|<=|>|<)\s*\(*(-?[0-9.]+)[\s)]*"
)
_VALUE = re.compile(rf"\(*\s*(?:{_SAME}\s*\(?\s*)*([A-Za-z_:][\w:]*)[\s)]*")
_RATES = re.compile(r"\b(rate|irate|increase)\s*\(\s*([A-Za-z_:][\w:]*)")


class MetricComparison(msgspec.Struct, frozen=True):
    """One series of which a query compares the value with a number."""

    series: str
    sign: str
    """One of `<`, `<=`, `>`, `>=`."""
    number: float
    number_text: str


def compared(query: str) -> Iterator[MetricComparison]:
    """Yield the comparisons of a query, of which each side of `and` is one; nothing of arithmetic."""
    for part in _SETS.split(_plain(query)):
        match = _COMPARED.fullmatch(part.strip())
        number = None if match is None else read_decimal(match[3])
        if match is not None and number is not None:
            yield MetricComparison(match[1], match[2], number, match[3])


def series_of(query: str) -> str | None:
    """Return the only series whose value, in its unit, is the result of a query; None otherwise."""
    match = _VALUE.fullmatch(_plain(query).strip())
    return None if match is None else match[1]


def rates(query: str) -> Iterator[tuple[str, str]]:
    """Yield the functions that take the growth of a counter, each with its series."""
    for match in _RATES.finditer(_plain(query)):
        yield match[1], match[2]


def groups(query: str) -> frozenset[str]:
    """Return the labels that a query groups by."""
    return frozenset(
        label.strip()
        for match in re.finditer(r"\bby\s*\(([^)]*)\)", _LABELS.sub("", query))
        for label in match[1].split(",")
    )


def _plain(query: str) -> str:
    for pattern in (_LABELS, _RANGE, _GROUPING, _OFFSET):
        query = pattern.sub(" ", query)
    return query
