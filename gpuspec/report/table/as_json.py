"""The table as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.demand.totals import pods_of, total_of
from gpuspec.numbers import inexact
from gpuspec.report.table.rows import notes_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from gpuspec.demand.totals import AmountRange, PodRequest, Table
    from gpuspec.kinds.scale import Scale


def table_json(table: Table) -> dict[str, Any]:
    """Return each kind of pod and the totals as plain data: CPU in cores, memory in bytes.

    `pods` is null if the number is unknown, `max` if it is unbounded. `total` is that of all rows;
    `clusters` has the totals of each cluster, if there are several.
    """
    return {
        "workloads": [_plain(ask) for ask in table.asks],
        "total": {"pods": _range(table.pods), "resources": _resources(table.total)},
        "clusters": {name: _sum(table.of(name)) for name in table.clusters},
        "notes": notes_of(table),
    }


def _plain(ask: PodRequest) -> dict[str, Any]:
    return {
        "object": msgspec.to_builtins(ask.object),
        "file": ask.file,
        "line": ask.line,
        "role": ask.role,
        "cluster": ask.cluster,
        "pods": None if ask.pods is None else _range(ask.pods),
        "scaled_by": None if ask.pods is None else ask.pods.by,
        "each": {name: _plain_number(amount) for name, amount in ask.each.items()},
        "total": _resources(ask.total),
    }


def _sum(asks: Iterable[PodRequest]) -> dict[str, Any]:
    asks = list(asks)
    return {"pods": _range(pods_of(asks)), "resources": _resources(total_of(asks))}


def _range(scale: Scale) -> dict[str, Any]:
    return {"min": scale.least, "max": scale.most}


def _resources(total: dict[str, AmountRange]) -> dict[str, Any]:
    return {
        name: {
            "min": _plain_number(span.least),
            "max": None if span.most is None else _plain_number(span.most),
        }
        for name, span in total.items()
    }


def _plain_number(amount: Fraction) -> int | float:
    return amount.numerator if amount.denominator == 1 else inexact(amount)
