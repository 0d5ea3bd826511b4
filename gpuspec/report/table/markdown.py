"""The table in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import prose
from gpuspec.report.table.rows import notes_of, rows_of, total_rows

if TYPE_CHECKING:
    from gpuspec.demand.totals import Table


def table_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    lines = ["| Workload | Pods | Devices | CPU | Memory |", "|---|--:|---|--:|--:|"]
    rows = rows_of(table)
    for row in (*rows, *total_rows(table)):
        name, pods, devices, cpu, memory = row.cells
        text = f"&emsp;{prose(name)}" if row.inner else prose(name)
        cells = (text, pods, "<br>".join(map(prose, devices)), cpu, memory)
        lines.append(f"| {' | '.join(cells)} |")
    notes = notes_of(table)
    lines += ["", *(f"- {prose(note)}" for note in notes)] if notes else []
    return "\n".join(lines) + "\n"
