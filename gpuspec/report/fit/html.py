"""One page without script, fonts or network: verdicts, the fleet node by node, and what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit import prose
from gpuspec.report.fit.drawn import shown
from gpuspec.report.fit.markup import Markup, element
from gpuspec.report.fit.page import (
    bars_table,
    figures_list,
    fleet_table,
    legend_list,
    notes_list,
    page,
    swatch_svg,
)
from gpuspec.report.fit.states import alike, arrange, sized
from gpuspec.report.fit.svg import KINDS
from gpuspec.report.lint.words import counted

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FitReport, WorkloadFit
    from gpuspec.report.fit.states import Groups

MOST = 300
"""Rows of nodes at most; what is left is counted."""
MANY = 6
"""Of more workloads, those that are placed are folded."""


def fit_html(report: FitReport) -> str:
    """The page. Well-formed XML too; the same bytes for the same report."""
    groups = alike(report.rows_before, report.rows_after)
    return sized(lambda most: _drawn(report, groups, most), MOST)


def _drawn(report: FitReport, groups: Groups, most: int) -> str:
    names = {index: one.name for index, one in enumerate(report.workloads)}
    seeds = f", the first of {report.seeds} seeds" if report.seeds > 1 else ""
    nodes = counted(len(report.rows_after), "node")
    title = f"gpuspec fit: {report.fleet}"
    drawn = shown(names, report.rows_before, report.rows_after)
    blocks = arrange(groups, most)
    works = [_workload(n, one, report) for n, one in enumerate(report.workloads)]
    return page(
        title,
        element("h1", None, title),
        element("p", {"class": "lead"}, f"{prose.summary(report)}."),
        figures_list((report.before, report.after)),
        element("h2", None, "Workloads"),
        *(works or [element("p", {"class": "quiet"}, "None.")]),
        element("h2", None, "Fleet, before and after"),
        element(
            "p", {"class": "quiet"}, f"{nodes}, Kubernetes {report.version}, {report.policy}{seeds}"
        ),
        legend_list(drawn),
        fleet_table(blocks, names, ("Before", "After")),
        *bars_table(report.classes, report.mix, both=True),
        *notes_list(report.notes),
    )


def _workload(index: int, work: WorkloadFit, report: FitReport) -> Markup:
    rows: list[Markup] = []

    def say(label: str, *inner: str) -> None:
        if inner:
            rows.append(element("dt", None, label))
            rows.append(element("dd", None, *inner))

    where = prose.landing(work)
    say("where", *([where] if where else []))
    say("slots", *_lines(prose.slots(work)))
    say("strands", *_lines(prose.stranded(work)))
    if work.verdict != "refused":
        say("fragment", prose.cost(work))
    if work.message is not None:
        said = "kube-scheduler says of the first pod that is not placed:"
        say("message", said, element("pre", None, work.message))
    say("why", *_list([": ".join(prose.reason(one)) for one in work.reasons]))
    say("advice", *_lines([prose.advice(one) for one in work.advice]))
    say("notes", *_lines(list(work.notes)))
    head = element(
        "summary",
        None,
        swatch_svg(index),
        element("strong", None, prose.title(work)),
        element("span", {"class": "verdict"}, prose.verdict(work, report.seeds)),
    )
    quiet = work.verdict == "placed" and not work.advice and len(report.workloads) > MANY
    shape = {"class": f"work {KINDS[work.verdict]}", "open": None if quiet else "open"}
    return element("details", shape, head, element("dl", None, *rows))


def _lines(said: list[str]) -> list[Markup]:
    return [element("div", None, line) for line in said]


def _list(said: list[str]) -> list[Markup]:
    return [element("ul", None, *(element("li", None, line) for line in said))] if said else []
