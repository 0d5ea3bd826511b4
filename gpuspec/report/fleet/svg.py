"""The picture of a fleet's current state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.canvas import Canvas
from gpuspec.report.fit.drawn import shown
from gpuspec.report.fit.prose import why_stranded
from gpuspec.report.fit.states import alike, arrange, sized
from gpuspec.report.fit.svg import MOST, draw_bars
from gpuspec.report.fleet.prose import summary

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FleetReport
    from gpuspec.report.fit.states import Groups


def fleet_svg(report: FleetReport) -> str:
    """Return nodes and fragmentation by class, without script and fonts."""
    groups = alike(report.rows, report.rows)
    return sized(lambda most: _drawn(report, groups, most), MOST)


def _drawn(report: FleetReport, groups: Groups, most: int) -> str:
    canvas = Canvas(("GPUs",))
    title = f"gpuspec fleet: {report.fleet}"
    canvas.text(title, size=18, bold=True)
    canvas.text(f"{summary(report)}.", "muted")
    if why := why_stranded(report.figures):
        canvas.text(f"Stranded: {why}.", "muted")
    canvas.gap()
    canvas.legend(shown({}, report.rows))
    canvas.gap()
    canvas.fleet(arrange(groups, most), {})
    draw_bars(canvas, report.classes, report.mix, "Unusable idle GPUs, by class")
    return f"{canvas.svg(title, summary(report))}\n"
