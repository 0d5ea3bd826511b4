"""The current state of a fleet, as one page without script, fonts or network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.drawn import shown
from gpuspec.report.fit.html import MOST
from gpuspec.report.fit.markup import element
from gpuspec.report.fit.page import (
    bars_table,
    figures_list,
    fleet_table,
    legend_list,
    notes_list,
    page,
    table,
)
from gpuspec.report.fit.states import alike, arrange, sized
from gpuspec.report.fleet.prose import HEADS, MEANINGS, cells, summary

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FleetReport
    from gpuspec.report.fit.states import Groups


def fleet_html(report: FleetReport) -> str:
    """Return the page, which is well-formed XML too. The same report gives the same bytes."""
    groups = alike(report.rows, report.rows)
    return sized(lambda most: _drawn(report, groups, most), MOST)


def _drawn(report: FleetReport, alike_nodes: Groups, most: int) -> str:
    title = f"gpuspec fleet: {report.fleet}"
    heads = ("Group", *HEADS)
    groups = [(name, *cells(of)) for name, of in report.groups.items()]
    groups += [("all", *cells(report.figures))] if len(groups) > 1 else []
    return page(
        title,
        element("h1", None, title),
        element("p", {"class": "lead"}, f"{summary(report)}."),
        figures_list((report.figures,)),
        element("h2", None, "Groups of nodes"),
        element("p", {"class": "quiet"}, f"{MEANINGS}."),
        table("Groups of nodes", heads, groups),
        element("h2", None, "Nodes"),
        legend_list(shown({}, report.rows)),
        fleet_table(arrange(alike_nodes, most), {}, ("GPUs",)),
        *bars_table(report.classes, report.mix, both=False),
        *notes_list(report.notes),
    )
