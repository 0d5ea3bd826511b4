"""The picture of a fleet before and after, as a file for any browser or document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit import prose
from gpuspec.report.fit.canvas import Canvas
from gpuspec.report.fit.drawn import shown
from gpuspec.report.fit.states import alike, arrange, sized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fit.result import ClassShare, FitReport, Verdict
    from gpuspec.report.fit.states import Groups

MOST = 120
"""The most rows of nodes; the others are counted."""
_WORKS = 12
"""The most workloads described in words, those not placed first."""
KINDS: dict[Verdict, str] = {
    "placed": "good",
    "partly": "warn",
    "held": "warn",
    "refused": "lost",
    "not placed": "lost",
    "unknown": "muted",
    "elsewhere": "muted",
}
"""The CSS class of a verdict, which is also written out."""
BARS = 20
"""The most classes with bars, those with the most demand."""


def fit_svg(report: FitReport) -> str:
    """Return verdicts, nodes before and after, and fragmentation by class, without script and
    fonts."""
    groups = alike(report.rows_before, report.rows_after)
    return sized(lambda most: _drawn(report, groups, most), MOST)


def _drawn(report: FitReport, groups: Groups, most: int) -> str:
    canvas = Canvas(("Before", "After"))
    title = f"gpuspec fit: {report.fleet}"
    canvas.text(title, size=18, bold=True)
    subtitle = f"Kubernetes {report.version}, {report.policy}"
    canvas.text(f"{prose.summary(report)}. {subtitle}.", "muted")
    canvas.gap(6)
    _verdicts(canvas, report)
    canvas.gap()
    names = {index: workload.name for index, workload in enumerate(report.workloads)}
    drawn = shown(names, report.rows_before, report.rows_after)
    in_words = len(names) <= _WORKS
    canvas.legend([(who, name) for who, name in drawn if who < 0 or not in_words])
    canvas.gap()
    canvas.fleet(arrange(groups, most), names)
    draw_bars(
        canvas, report.classes, report.mix, "Unusable idle GPUs, by class: before above after"
    )
    return f"{canvas.svg(title, prose.summary(report))}\n"


def _verdicts(canvas: Canvas, report: FitReport) -> None:
    ranked = [numbered for part in prose.ranked(report) for numbered in part]
    for index, work in ranked[:_WORKS]:
        verdict = prose.verdict(work, report.seeds)
        bound = "" if work.verdict == "placed" else "; ".join(prose.stranded(work))
        verdict_text = f"{prose.title(work)}: {verdict}{f'; {bound}' if bound else ''}"
        canvas.verdict(index, verdict_text, KINDS[work.verdict])
    if len(ranked) > _WORKS:
        canvas.text(f"and {len(ranked) - _WORKS} more workloads", "muted")


def draw_bars(canvas: Canvas, classes: Sequence[ClassShare], mix: str, title: str) -> None:
    """Draw the fragmentation by class, for the classes with the most demand."""
    ranked = sorted(classes, key=lambda share: -share.weight)[:BARS]
    if ranked:
        canvas.gap(6)
        canvas.text(title, bold=True)
        canvas.text(mix, "muted")
        canvas.gap(4)
        canvas.bars(ranked)
