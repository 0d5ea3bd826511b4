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
    return guarded("".join(_line(one, color=color) for one in result.findings), color=color)


def _line(one: Finding, *, color: bool) -> str:
    place = paint(visible(f"{where(one)}:"), BOLD, on=color)
    severity = paint(one.severity, BOLD, STYLES[one.severity], on=color)
    return f"{place} {one.rule} {severity} {visible(one.said)}\n"
