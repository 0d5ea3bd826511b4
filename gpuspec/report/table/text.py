"""The table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.columns import columns
from gpuspec.report.ink import BOLD, DIM, fold, paint, whole
from gpuspec.report.table.rows import notes_of, rows_of, total_rows

if TYPE_CHECKING:
    from gpuspec.demand.totals import Table
    from gpuspec.report.table.rows import TableRow

GAP = "  "
INDENT = "  "
"""The indent of a role's name, below its workload."""
HEADINGS = ("WORKLOAD", "PODS", "DEVICES", "CPU", "MEMORY")
_RIGHT = (False, True, False, True, True)
"""Whether each column is right-aligned."""


def table_text(table: Table, *, width: int | None = None, color: bool = False) -> str:
    """Return workloads, their roles if there are several, the total, and notes."""
    rows, totals = rows_of(table), total_rows(table)
    lines = _columns(rows, totals, width, color) or _paragraphs([*rows, *totals], width, color)
    notes = notes_of(table)
    if notes:
        lines.append("")
        lines += [line for note in notes for line in fold(visible(note), width, "- ", "  ")]
    return guarded("\n".join(lines) + "\n", color=color)


def _columns(
    rows: list[TableRow], totals: list[TableRow], width: int | None, color: bool
) -> list[str]:
    """Return rows in columns below headings; empty if a line would be wider than the terminal."""
    plain = [[list(HEADINGS)], *(_lines(row) for row in (*rows, *totals))]
    sizes = [
        max(columns(line[column]) for lines in plain for line in lines)
        for column in range(len(HEADINGS))
    ]
    if width is not None and sum(sizes) + len(GAP) * (len(sizes) - 1) > width:
        return []
    painted: list[str] = []
    for number, lines in enumerate(plain):
        style = DIM if number == 0 else BOLD if number >= len(plain) - len(totals) else ""
        for line in lines:
            text = GAP.join(
                _padded(cell, size, right)
                for cell, size, right in zip(line, sizes, _RIGHT, strict=True)
            ).rstrip()
            painted.append(paint(text, style, on=color and bool(style)))
    return painted


def _paragraphs(rows: list[TableRow], width: int | None, color: bool) -> list[str]:
    """Return each row's name, with its requests below."""
    paragraphs: list[str] = []
    for row in rows:
        name, pods, devices, cpu, memory = row.cells
        margin = INDENT * (1 + row.inner)
        paragraphs.append(paint(f"{INDENT * row.inner}{visible(name)}", BOLD, on=color))
        amounts = [f"{pods} pod{'' if pods == '1' else 's'}", *map(visible, devices)]
        amounts += [f"{cpu} CPU"] if cpu else []
        amounts += [f"{memory} memory"] if memory else []
        paragraphs += fold(", ".join(map(whole, amounts)), width, margin, margin)
    return paragraphs


def _lines(row: TableRow) -> list[list[str]]:
    """Return a row's lines: one, or one for each device."""
    name, pods, devices, cpu, memory = row.cells
    devices = tuple(map(visible, devices))
    name = f"{INDENT * row.inner}{visible(name)}"
    first, *rest = devices or ("",)
    return [[name, pods, first, cpu, memory], *(["", "", device, "", ""] for device in rest)]


def _padded(cell: str, size: int, right: bool) -> str:
    gap = " " * (size - columns(cell))
    return gap + cell if right else cell + gap
