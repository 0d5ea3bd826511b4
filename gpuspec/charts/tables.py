"""Reading the tables beside this file, once and only when asked for."""

from __future__ import annotations

import os
from functools import cache
from typing import TypeVar

import msgspec

from gpuspec.charts.model import Row, Schema, Server
from gpuspec.manifests.tables import table as read_table

_T = TypeVar("_T")
DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


@cache
def rows() -> dict[str, Row]:
    """Where charts say parts of pods, by name."""
    return _typed("charts", Row)


@cache
def schemas() -> dict[str, Schema]:
    """What charts take, by name."""
    return _typed("closed", Schema)


@cache
def servers() -> dict[str, tuple[Server, ...]]:
    """The servers that operators start, by the kind of the object that asks for them."""
    told = read_table(DATA, "operators")
    found: dict[str, tuple[Server, ...]] = {}
    for row in told["servers"]:
        one = msgspec.convert({**row, "source": told["sources"][row["source"]]}, Server)
        found[one.kind] = (*found.get(one.kind, ()), one)
    return found


def _typed(part: str, kind: type[_T]) -> dict[str, _T]:
    """One part of the table, each source as it is called."""
    told = read_table(DATA, "charts")
    return {
        name: msgspec.convert({**row, "source": told["sources"][row["source"]]}, kind)
        for name, row in told[part].items()
    }
