"""Loads the tables of values, each once, on first use."""

from __future__ import annotations

import os
from functools import cache

from msgspec import Struct, convert

from gpuspec.charts.model import ClosedMapping, Need, ReadReleases
from gpuspec.manifests.tables import table

DATA = os.path.join(os.path.dirname(__file__), "data")


class _MappingRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping of which all keys are known, as its table has it: lists are words in one text."""

    at: str
    keys: str
    """Each with the first and the last release that reads it, as `key@1.2.0-1.4.0`."""
    texts: str = ""
    begun: str = ""
    refuses: str = ""
    loose: bool = False


class _NeedRow(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"others": "with"}
):
    """Values that are read only together with others, as their table has them."""

    at: str
    others: str
    begun: str


class _ValuesTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    releases: tuple[str, str]
    gap: tuple[str, str] | None = None
    mappings: tuple[_MappingRow, ...]
    needs: tuple[_NeedRow, ...] = ()


class ReadValues(Struct, frozen=True):
    """The values that a chart's templates read."""

    source: str
    mappings: tuple[ClosedMapping, ...]
    needs: tuple[Need, ...]


@cache
def files() -> frozenset[str]:
    """Return the names of the tables."""
    return frozenset(name.removesuffix(".yaml") for name in os.listdir(DATA))


@cache
def values_of(file: str) -> ReadValues:
    """Return what the templates of a chart read."""
    rows = convert(table(DATA, file), _ValuesTable)
    mappings = tuple(_closed(row, rows) for row in rows.mappings)
    needs = tuple(
        Need(
            at=tuple(row.at.split()),
            others=tuple(row.others.split()),
            span=_span(row.begun, rows),
        )
        for row in rows.needs
    )
    return ReadValues(rows.source, mappings, needs)


def _closed(row: _MappingRow, rows: _ValuesTable) -> ClosedMapping:
    spans = [key.partition("@")[::2] for key in row.keys.split()]
    since = {key: span.partition("-")[0] for key, span in spans}
    until = {key: span.partition("-")[2] for key, span in spans}
    return ClosedMapping(
        at=tuple("" if place == "." else place for place in row.at.split()),
        keys=tuple(key for key, _ in spans),
        begun=row.begun,
        refuses=row.refuses,
        since={key: first for key, first in since.items() if first},
        until={key: last for key, last in until.items() if last},
        texts=tuple(row.texts.split()),
        loose=row.loose,
        span=_span(row.begun, rows),
    )


def _span(begun: str, rows: _ValuesTable) -> ReadReleases:
    return ReadReleases(begun or rows.releases[0], rows.releases[1], rows.gap)
