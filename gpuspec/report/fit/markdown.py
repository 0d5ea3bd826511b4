"""The placement of workloads as a review comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import fenced, folded, prose
from gpuspec.report.fit import prose as words
from gpuspec.report.fit.amounts import change, percent, resource
from gpuspec.report.fit.blocks import fleet_blocks, legend
from gpuspec.report.fit.drawn import shown
from gpuspec.report.lint.markdown import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.fleet.fit.result import (
        ClassShare,
        Figures,
        FitReport,
        NodeRow,
        Verdict,
        WorkloadFit,
    )

_MARKS: dict[Verdict, str] = {
    "placed": "🟢",
    "partly": "🟡",
    "held": "🟡",
    "refused": "🔴",
    "not placed": "🔴",
    "unknown": "⚪",
    "elsewhere": "⚪",
}
_HEAD = "| | Workload | Verdict | Where | Free slots | Bound by | Strands | Fragment, GPUs |"
_RULE = "|---|---|---|---|--:|---|---|--:|"


def fit_markdown(report: FitReport) -> str:
    """Return a table of the workloads, with details of each and of the fleet folded below.

    Workloads that are not placed come first. Rows that do not fit into a comment are counted.
    """
    lines = [f"**gpuspec fit**: {prose(words.summary(report))}"]
    if report.workloads:
        ranked = [work for part in words.ranked(report) for _, work in part]
        rows = limited((_row(workload_fit, report.seeds) for workload_fit in ranked), MOST // 2, 8)
        lines += ["", _HEAD, _RULE, *rows]
        details = ["\n".join(_detail(workload_fit)) for workload_fit in ranked]
        size = 0
        for detail in details:
            size += len(detail)
            if detail and size < MOST // 2:
                lines += ["", detail]
    lines += fleet_detail(
        f"Fleet {report.fleet}, before and after",
        _figures(report.before, report.after),
        report.rows_before,
        report.rows_after,
        [(index, workload.name) for index, workload in enumerate(report.workloads)],
    )
    lines += classes_table(report.classes, report.mix)
    lines += notes(report.notes)
    return "\n".join(lines) + "\n"


def _row(work: WorkloadFit, seeds: int) -> str:
    rooms = words.open_rooms(work)
    bound = list(dict.fromkeys(resource(room.bound) for room in rooms if room.bound))
    cells = (
        _MARKS[work.verdict],
        prose(words.title(work)),
        prose(words.verdict(work, seeds)),
        prose(words.landing(work)) or "–",
        f"{sum(room.free for room in rooms):,} of {sum(room.slots for room in rooms):,}",
        prose(", ".join(bound)) or "–",
        "<br>".join(prose(line) for line in words.stranded(work)) or "–",
        change(work.fragment),
    )
    return f"| {' | '.join(cells)} |"


def _detail(work: WorkloadFit) -> list[str]:
    """Return the details of a workload that do not fit into its row; empty if there are none."""
    if not (work.message or work.reasons or work.advice or work.notes):
        return []
    lines = [folded(words.title(work)), ""]
    if work.message is not None:
        lines += [words.message_of(work), ""]
        lines += [*fenced([work.message], "text"), ""]
    for label, text in words.reasons(work):
        start = f"**{label.capitalize()}**: " if label in ("nearest", "to fit") else ""
        lines.append(f"- {start}{prose(text)}")
    lines += [f"- **Advice**: {prose(words.advice(advice))}" for advice in work.advice]
    lines += [f"- {prose(note)}" for note in work.notes]
    return [*lines, "", "</details>"]


def limited(rows: Iterable[str], most: int, columns: int) -> list[str]:
    """Return the rows of a table up to this many characters, and the number of the others."""
    every = list(rows)
    shown: list[str] = []
    size = 0
    for row in every:
        size += len(row)
        if size > most:
            rest = f" … and {len(every) - len(shown):,} more "
            return [*shown, f"| |{rest}|{' |' * (columns - 2)}"]
        shown.append(row)
    return shown


def _figures(before: Figures, after: Figures) -> list[str]:
    """Return the figures of a fleet, before and after."""
    lines = ["| | Before | After |", "|---|--:|--:|"]
    rows = zip(words.FIGURES, words.figures(before), words.figures(after), strict=True)
    lines += [f"| {name} | {old} | {new} |" for name, old, new in rows]
    if why := words.why_stranded(after):
        lines += ["", f"Stranded: {prose(why)}."]
    return [*lines, ""]


def fleet_detail(
    title: str,
    figures: list[str],
    before: Sequence[NodeRow],
    after: Sequence[NodeRow],
    names: Sequence[tuple[int, str]],
) -> list[str]:
    """Return the fleet, folded: figures, and the nodes as blocks."""
    blocks = fleet_blocks(before, after)
    blocks += legend(shown(dict(names), before, after))
    lines = ["", folded(title), "", *figures]
    return [*lines, *fenced(blocks, "text"), "", "</details>"]


def classes_table(classes: Sequence[ClassShare], mix: str) -> list[str]:
    """Return the idle GPUs that each class cannot use."""
    if not classes:
        return []
    rows = [
        f"| {prose(class_.name)} | {percent(class_.weight, 1)} | {change(class_.fragment)} "
        f"| {change(class_.slots)} |"
        for class_ in classes
    ]
    return [
        "",
        folded(f"Fragmentation by class ({mix})"),
        "",
        "| Class | Of demand | Unusable idle GPUs | Slots |",
        "|---|--:|--:|--:|",
        *limited(rows, MOST // 8, 4),
        "",
        "</details>",
    ]


def notes(of: Iterable[str]) -> list[str]:
    """Return the assumptions."""
    lines = [f"- {prose(note)}" for note in of]
    return ["", *lines] if lines else []
