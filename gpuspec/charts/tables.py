"""Loads the tables next to this file, each once, on first use."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import msgspec

from gpuspec.charts.model import KnownChart, Server
from gpuspec.charts.values import tables as read_values
from gpuspec.manifests.tables import table

DATA = os.path.join(os.path.dirname(__file__), "data")
NAMES = "names"
"""The table of names: the known charts, and their other names."""


@cache
def chart_of(name: str) -> KnownChart | None:
    """Return a chart's record, by any of its names: what was written down by hand, and what its
    templates read."""
    file = names_of().get(name)
    if file is None:
        return None
    chart = msgspec.convert(table(DATA, file), KnownChart) if file in _files() else None
    if file not in read_values.files():
        return chart
    values = read_values.values_of(file)
    if chart is None:
        chart = KnownChart(source=values.source)
    return msgspec.structs.replace(
        chart,
        mappings=(*chart.mappings, *values.mappings),
        needs=(*chart.needs, *values.needs),
    )


@cache
def _files() -> frozenset[str]:
    return frozenset(name.removesuffix(".yaml") for name in os.listdir(DATA))


@cache
def servers() -> dict[str, tuple[Server, ...]]:
    """Return the servers that operators start, by the kind of the object that requests them."""
    operators = table(DATA, "operators")
    servers_by_kind: dict[str, tuple[Server, ...]] = {}
    for row in operators["servers"]:
        server = msgspec.convert({**row, "source": operators["sources"][row["source"]]}, Server)
        servers_by_kind[server.kind] = (*servers_by_kind.get(server.kind, ()), server)
    return servers_by_kind


@cache
def names_of() -> dict[str, str]:
    """Return the file of each name."""
    files: dict[str, Any] = table(DATA, NAMES)
    return {name: file for file, others in files.items() for name in (file, *(others or ()))}
