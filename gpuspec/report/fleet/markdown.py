"""The current state of a fleet in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import prose
from gpuspec.report.fit.markdown import classes_table, fleet_detail, limited, notes
from gpuspec.report.fit.prose import why_stranded
from gpuspec.report.fleet.prose import HEADS, MEANINGS, cells, summary
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FleetReport


def fleet_markdown(report: FleetReport) -> str:
    """Return figures by group; folded below, the nodes as blocks and the GPUs lost to each
    class."""
    lines = [f"**gpuspec fleet**: {prose(summary(report))}", ""]
    lines.append(f"| Group | {' | '.join(HEADS)} |")
    lines.append(f"|---|{'--:|' * len(HEADS)}")
    rows = [f"| {prose(name)} | {' | '.join(cells(of))} |" for name, of in report.groups.items()]
    lines += limited(rows, MOST // 2, len(HEADS) + 1)
    if len(report.groups) > 1:
        lines.append(f"| **all** | {' | '.join(cells(report.figures))} |")
    lines += ["", f"{MEANINGS}."]
    if why := why_stranded(report.figures):
        lines += ["", f"Stranded: {prose(why)}."]
    lines += fleet_detail(f"Nodes of {report.fleet}", [], report.rows, report.rows, [])
    lines += classes_table(report.classes, report.mix)
    lines += notes(report.notes)
    return "\n".join(lines) + "\n"
