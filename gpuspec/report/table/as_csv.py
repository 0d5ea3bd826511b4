"""The table as CSV, for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.formats import csv_line
from gpuspec.objects.amounts import CPU, MEMORY
from gpuspec.report.table.amounts import number

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.demand.totals import PodRequest, Table


def table_csv(table: Table) -> str:
    """Return a line for each kind of pod: CPU in cores, memory in bytes. The spreadsheet computes
    totals.

    Unknown and unbounded values are empty.
    """
    devices = [name for name in table.total if name not in (CPU, MEMORY)]
    unknown = {name for ask in table.asks for name in ask.each} - {*devices, CPU, MEMORY}
    resources = (*devices, *sorted(unknown), CPU, MEMORY)
    head = ["kind", "namespace", "name", "role", "pods min", "pods max"]
    for name in resources:
        head += [f"{name} per pod", f"{name} min", f"{name} max"]
    head += ["cluster"] if table.clusters else []
    lines = [csv_line(head)]
    for ask in table.asks:
        line: list[object] = [*_identity(ask), ask.role]
        pods = ask.pods
        line += [None, None] if pods is None else [pods.least, pods.most]
        total = ask.total
        for name in resources:
            span = total.get(name)
            least, most = (None, None) if span is None else (span.least, span.most)
            line += map(_shown, (ask.each.get(name), least, most))
        lines.append(csv_line([*line, ask.cluster] if table.clusters else line))
    return "".join(lines)


def _shown(amount: Fraction | None) -> str:
    return "" if amount is None else number(amount)


def _identity(ask: PodRequest) -> tuple[str, str, str]:
    return ask.object.kind, ask.object.namespace, ask.object.name
