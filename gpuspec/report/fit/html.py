"""The fit report as one page without script, fonts or network: verdicts, the fleet node by node,
lost GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.fleet.fit.result import FitReport, WorkloadFit
    from gpuspec.report.fit.states import Groups

MOST = 300
"""The most rows of nodes; the others are counted."""
MANY = 6
"""The number of workloads above which placed ones are folded."""


def fit_html(report: FitReport) -> str:
    """Return the page, which is well-formed XML too. The same report gives the same bytes."""
    groups = alike(report.rows_before, report.rows_after)
    return sized(lambda most: _drawn(report, groups, most), MOST)


def _drawn(report: FitReport, groups: Groups, most: int) -> str:
    names = {index: workload.name for index, workload in enumerate(report.workloads)}
    seeds = f", the first of {report.seeds} seeds" if report.seeds > 1 else ""
    nodes = f"{counted(len(report.rows_after), 'node')} with GPUs"
    title = f"gpuspec fit: {report.fleet}"
    drawn = shown(names, report.rows_before, report.rows_after)
    blocks = arrange(groups, most)
    attention, placed, apart = (
        [_workload(n, workload_fit, report) for n, workload_fit in part]
        for part in prose.ranked(report)
    )
    return page(
        title,
        element("h1", None, title),
        element("p", {"class": "lead"}, f"{prose.summary(report)}."),
        *_section("Needs attention", attention),
        figures_list((report.before, report.after)),
        element("h2", None, "Fleet, before and after"),
        element(
            "p", {"class": "quiet"}, f"{nodes}, Kubernetes {report.version}, {report.policy}{seeds}"
        ),
        legend_list(drawn),
        fleet_table(blocks, names, ("Before", "After")),
        *_section("Placed", placed),
        *_section("Not evaluated", apart),
        *bars_table(report.classes, report.mix, both=True),
        *notes_list(report.notes),
    )


def _workload(index: int, work: WorkloadFit, report: FitReport) -> Markup:
    rows: list[Markup] = []

    def say(label: str, *inner: str) -> None:
        if inner:
            rows.append(element("dt", None, label))
            rows.append(element("dd", None, *inner))

    for label, line in _joined(prose.reasons(work)):
        say(label, *line)
    where = prose.landing(work)
    say("where", *([where] if where else []))
    say("slots", *_lines(prose.slots(work)))
    say("strands", *_lines(prose.stranded(work)))
    if work.verdict in ("placed", "partly"):
        say("fragment", prose.cost(work))
    if work.message is not None:
        say("message", prose.message_of(work), element("pre", None, work.message))
    say("advice", *_lines([prose.advice(advice) for advice in work.advice]))
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


def _lines(sentences: list[str]) -> list[Markup]:
    return [element("div", None, line) for line in sentences]


def _section(title: str, works: list[Markup]) -> list[Markup]:
    return [element("h2", None, title), *works] if works else []


def _joined(labelled_lines: list[tuple[str, str]]) -> Iterator[tuple[str, list[Markup]]]:
    """Yield sentences by their label; a sentence without a label belongs to the one before."""
    by_label: list[tuple[str, list[str]]] = []
    for label, line in labelled_lines:
        if label:
            by_label.append((label, []))
        by_label[-1][1].append(line)
    for label, lines in by_label:
        yield label, _lines(lines)
