"""Reading the table beside this file, once and only when asked for."""

from __future__ import annotations

import os
from functools import cache

import msgspec

from gpuspec.charts.model import Row
from gpuspec.manifests.tables import table as read_table

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


@cache
def rows() -> dict[str, Row]:
    """All charts of the table, by name."""
    told = read_table(DATA, "charts")
    return {
        name: msgspec.convert({**row, "source": told["sources"][row["source"]]}, Row)
        for name, row in told["charts"].items()
    }
