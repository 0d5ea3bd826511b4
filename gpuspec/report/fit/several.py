"""Reports on several clusters: one under each cluster's name, and a table of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.markdown import prose
from gpuspec.report.columns import columns
from gpuspec.report.fit.amounts import gpus
from gpuspec.report.fit.lines import Page
from gpuspec.report.fit.markdown import fit_markdown
from gpuspec.report.fit.text import fit_text
from gpuspec.report.ink import BOLD, DIM, RED, YELLOW, paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fit.result import FitReport, Verdict

_COLUMNS: dict[str, tuple[Verdict, ...]] = {
    "placed": ("placed",),
    "not placed": ("not placed", "partly", "refused"),
    "queued": ("held",),
    "other": ("unknown", "elsewhere"),
}


def fits_text(
    reports: Sequence[FitReport], *, width: int | None = None, color: bool = False
) -> str:
    """Return each report after its cluster's name, and the table of all."""
    texts: list[str] = []
    for report in reports:
        page = Page(width, color)
        page.folded(f"Cluster {report.fleet}", "", "  ", BOLD)
        texts.append(f"{page.text()}\n{fit_text(report, width=width, color=color)}")
    return "\n".join([*texts, clusters_text(reports, color=color)])


def clusters_text(reports: Sequence[FitReport], *, color: bool = False) -> str:
    """Return a line for each cluster: its workloads by verdict, and the GPUs that stay free."""
    rows = [[cell.upper() for cell in _head(reports)], *map(list, _rows(reports))]
    rows = [[visible(cell) for cell in row] for row in rows]
    sizes = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    styles = [DIM, *(_style(report) for report in reports)]
    lines = []
    for (name, *cells), style in zip(rows, styles, strict=True):
        line = name + " " * (sizes[0] - columns(name))
        line += "".join(f"  {cell:>{size}}" for cell, size in zip(cells, sizes[1:], strict=True))
        lines.append(paint(line, style, on=color and bool(style)))
    return "".join(f"{line}\n" for line in lines)


def fits_markdown(reports: Sequence[FitReport]) -> str:
    """Return the table of all clusters, and each report under a heading."""
    head = _head(reports)
    lines = [f"| {' | '.join(cell[0].upper() + cell[1:] for cell in head)} |"]
    lines.append(f"|---|{'--:|' * (len(head) - 1)}")
    lines += [f"| {' | '.join(map(prose, row))} |" for row in _rows(reports)]
    texts = [f"## Cluster {prose(report.fleet)}\n\n{fit_markdown(report)}" for report in reports]
    return "\n".join(["\n".join(lines) + "\n", *texts])


def _head(reports: Sequence[FitReport]) -> list[str]:
    return ["cluster", *_shown(reports), "GPUs free"]


def _rows(reports: Sequence[FitReport]) -> list[list[str]]:
    shown = _shown(reports)
    return [
        [report.fleet, *(str(_count(report, column)) for column in shown), gpus(report.after.idle)]
        for report in reports
    ]


def _shown(reports: Sequence[FitReport]) -> list[str]:
    """Return the columns of verdicts; `other` only if a workload has such a verdict."""
    return [
        column
        for column in _COLUMNS
        if column != "other" or any(_count(report, column) for report in reports)
    ]


def _count(report: FitReport, column: str) -> int:
    return sum(workload.verdict in _COLUMNS[column] for workload in report.workloads)


def _style(report: FitReport) -> str:
    if _count(report, "not placed"):
        return RED
    return YELLOW if _count(report, "queued") else ""
