"""Findings as text, in the style of a compiler, with their source lines.

The worst finding is last, which on a terminal is nearest to the prompt. Infos are counted unless
the user asks for them; `full` shows infos and every line of each finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.lines import guarded
from gpuspec.lint.policy import at_least
from gpuspec.report.ink import fold
from gpuspec.report.lint.block import FindingBlocks
from gpuspec.report.lint.groups import by_object, once, worst_last
from gpuspec.report.lint.lines import Texts
from gpuspec.report.lint.summary import summary_text
from gpuspec.report.lint.ways import WAYS, Ways

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

MANY = 10
"""The number of findings above which findings are counted by rule."""


def text_report(
    result: LintResult,
    *,
    width: int | None = None,
    color: bool = False,
    ways: Ways = WAYS,
    least: Severity = "warning",
    summary: bool = True,
) -> str:
    """Return each finding in a few lines, equal ones once; then the summary, if requested.

    Empty without findings. `width` is that of the terminal, None without one. Findings below
    `least` are only counted.
    """
    if not result.findings:
        return ""
    blocks = FindingBlocks(Texts(result.texts), width, color, brief=True)
    shown = [finding for finding in result.findings if at_least(finding.severity, least)]
    lines, others = by_object(worst_last(shown))
    for line in lines:
        blocks.line(line)
    for finding, alike in once(others):
        blocks.finding(finding, alike)
    if summary and len(shown) > MANY:
        blocks.lines += [*fold(_tally(shown), width, "", "  "), ""]
    hidden = len(result.findings) - len(shown)
    end = summary_text(result, width=width, color=color, ways=ways, hidden=hidden)
    return guarded("\n".join([*blocks.lines, end] if summary else blocks.lines), color=color)


def full_report(
    result: LintResult, *, width: int | None = None, color: bool = False, summary: bool = True
) -> str:
    """Return each finding with all details; then the summary, if requested.

    Empty without findings.
    """
    if not result.findings:
        return ""
    blocks = FindingBlocks(Texts(result.texts), width, color)
    for finding in worst_last(result.findings):
        blocks.finding(finding)
    end = summary_text(result, width=width, color=color)
    return guarded("\n".join([*blocks.lines, end] if summary else blocks.lines), color=color)


def _tally(findings: Iterable[Finding]) -> str:
    """Return the number of findings of each rule, the largest first."""
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.rule] = counts.get(finding.rule, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return f"by rule: {', '.join(f'{count} {code}' for code, count in ranked)}"
