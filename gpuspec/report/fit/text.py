"""The placement of workloads for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.report.fit import prose
from gpuspec.report.fit.amounts import letter
from gpuspec.report.fit.blocks import bars, fleet_blocks, legend
from gpuspec.report.fit.drawn import shown
from gpuspec.report.fit.lines import Page
from gpuspec.report.ink import BOLD, CYAN, DIM, GREEN, RED, YELLOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fit.result import ClassShare, FitReport, NodeRow, Verdict, WorkloadFit

STYLES: dict[Verdict, str] = {
    "placed": GREEN,
    "partly": YELLOW,
    "held": YELLOW,
    "refused": RED,
    "not placed": RED,
    "unknown": CYAN,
    "elsewhere": CYAN,
}


def fit_text(report: FitReport, *, width: int | None = None, color: bool = False) -> str:
    """Return workloads that need attention, the fleet as blocks, placed workloads, and the summary.

    `width` is the terminal's; None without a terminal, then sentences are not folded.
    """
    page = Page(width, color)
    attention, placed, apart = prose.ranked(report)
    if attention:
        page.heading("Needs attention")
        for index, work in attention:
            _workload(page, index, work, report.seeds)
    nodes = f"{counted(len(report.rows_after), 'node')} with GPUs"
    seeds = f", the first of {report.seeds} seeds" if report.seeds > 1 else ""
    page.gap()
    subtitle = f"{nodes}, Kubernetes {report.version}, {report.policy}{seeds}"
    page.heading(f"Fleet {report.fleet}, before → after", subtitle)
    names = {index: workload.name for index, workload in enumerate(report.workloads)}
    picture(page, names, report.rows_before, report.rows_after)
    fragments(page, report.classes, report.mix, both=True)
    for title, works in (("Placed", placed), ("Not evaluated", apart)):
        if works:
            page.gap()
            page.heading(title)
            for index, work in works:
                _workload(page, index, work, report.seeds)
    page.notes(report.notes)
    page.gap()
    page.folded(f"{prose.summary(report)}.", "", "  ", BOLD)
    return page.text()


def picture(
    page: Page, names: dict[int, str], before: Sequence[NodeRow], after: Sequence[NodeRow]
) -> None:
    """Draw the fleet's nodes as blocks, with a legend."""
    page.blocks(fleet_blocks(before, after, width=page.wide, color=page.color))
    page.blocks(legend(shown(names, before, after), width=page.wide, color=page.color))


def fragments(page: Page, classes: Sequence[ClassShare], mix: str, *, both: bool) -> None:
    """Write the idle GPUs that each class cannot use; nothing if there are none."""
    if any(class_.fragment.before or class_.fragment.after for class_ in classes):
        page.gap()
        page.heading("Unusable idle GPUs, by class", mix)
        page.blocks(bars(classes, both=both, width=page.wide, color=page.color))


def _workload(page: Page, index: int, work: WorkloadFit, seeds: int) -> None:
    page.gap()
    head = f"{letter(index)} {prose.title(work)}:"
    page.verdict(head, work.verdict, prose.verdict(work, seeds), STYLES[work.verdict])
    for label, line in prose.reasons(work):
        page.labelled(label, line, CYAN if label == "to fit" else DIM)
    if where := prose.landing(work):
        page.labelled("where", where)
    for number, line in enumerate(prose.slots(work)):
        page.labelled("slots" if number == 0 else "", line)
    if lost := prose.stranded(work):
        page.labelled("strands", "; ".join(lost))
    if work.verdict in ("placed", "partly"):
        page.labelled("fragment", prose.cost(work))
    if work.message is not None:
        page.labelled("message", prose.message_of(work))
        page.message(work.message)
    for number, hint in enumerate(work.advice):
        page.labelled("advice" if number == 0 else "", prose.advice(hint), CYAN)
    for note in work.notes:
        page.labelled("note", note)
