"""The rows of the table as text, and notes on amounts that the totals lack."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from gpuspec.demand.totals import pods_of, total_of
from gpuspec.objects.amounts import CPU, MEMORY
from gpuspec.report.table.amounts import between, memory_text, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from gpuspec.demand.totals import AmountRange, PodRequest, Table
    from gpuspec.kinds.scale import Scale


class TableRow(msgspec.Struct, frozen=True):
    """A row of the table: a workload, one of its roles, or the total."""

    cells: tuple[str, str, tuple[str, ...], str, str]
    """Name, pods, devices (a line each), CPU, memory."""
    inner: bool = False


def rows_of(table: Table) -> list[TableRow]:
    """Return a row for each workload with its totals; below a workload with several roles, a row
    for each role."""
    rows: list[TableRow] = []
    for _, group in groupby(
        table.asks, key=lambda ask: (ask.file, ask.line, ask.object, ask.cluster)
    ):
        asks = list(group)
        rows.append(_row(_name(asks[0], table), asks))
        if len(asks) > 1:
            rows += (_row(ask.role, [ask], inner=True) for ask in asks)
    return rows


def total_rows(table: Table) -> list[TableRow]:
    """Return the row of the total; with several clusters, one for each cluster."""
    if table.clusters:
        return [_row(f"Total of {cluster}", table.of(cluster)) for cluster in table.clusters]
    return [_row("Total", table.asks)]


def _name(ask: PodRequest, table: Table) -> str:
    """Return the name of a workload, with its cluster if there are several."""
    return f"{ask.object} ({ask.cluster})" if ask.cluster and table.clusters else str(ask.object)


def _row(name: str, asks: Iterable[PodRequest], *, inner: bool = False) -> TableRow:
    asks = list(asks)
    total = total_of(asks)
    unknown = [ask for ask in asks if ask.pods is None]
    pods = "?" if unknown and len(unknown) == len(asks) else _scale(pods_of(asks))
    devices = tuple(
        f"{_amount(span, number)} {resource}"
        for resource, span in total.items()
        if resource not in (CPU, MEMORY)
    )
    if inner or len(asks) == 1:
        # How many there are is not known; what one of them takes is.
        devices += tuple(
            f"{number(amount)} {resource} each"
            for ask in unknown
            for resource, amount in ask.each.items()
            if resource not in (CPU, MEMORY)
        )
    cpu, memory = total.get(CPU), total.get(MEMORY)
    cores = _amount(cpu, number) if cpu else ""
    return TableRow(
        (name, pods, devices, cores, _amount(memory, memory_text) if memory else ""), inner
    )


def _scale(scale: Scale) -> str:
    return between(str(scale.least), None if scale.most is None else str(scale.most))


def _amount(span: AmountRange, shown: Callable[[Fraction], str]) -> str:
    return between(shown(span.least), None if span.most is None else shown(span.most))


def notes_of(table: Table) -> list[str]:
    """Return notes on amounts that the totals lack."""
    notes = [
        f"{ask.object}{'' if ask.role == 'pod' else f' ({ask.role})'}: {ask.why}: not in the total"
        for ask in table.asks
        if ask.why is not None
    ]
    claims = list(dict.fromkeys(str(ask.object) for ask in table.asks if ask.claims))
    if claims:
        notes.append(
            f"devices of claims whose template is not given are not counted: {_few(claims)}"
        )
    for resource in (CPU, MEMORY):
        silent = [str(ask.object) for ask in table.asks if resource in ask.silent]
        if silent:
            names = _few(list(dict.fromkeys(silent)))
            notes.append(f"some containers request no {resource} and count as zero: {names}")
    return [*notes, *table.notes]


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
