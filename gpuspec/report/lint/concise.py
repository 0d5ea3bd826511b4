"""One line for each finding, for editors and for `grep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.ink import BOLD, paint
from gpuspec.report.lint.finding_text import where
from gpuspec.report.lint.summary import STYLES

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult


def concise_report(result: LintResult, *, color: bool = False) -> str:
    """Return `file:line:column: GPU102 error message`."""
    return guarded("".join(_line(finding, color=color) for finding in result.findings), color=color)


def _line(finding: Finding, *, color: bool) -> str:
    place = paint(visible(f"{where(finding)}:"), BOLD, on=color)
    severity = paint(finding.severity, BOLD, STYLES[finding.severity], on=color)
    return f"{place} {finding.rule} {severity} {visible(finding.said)}\n"
