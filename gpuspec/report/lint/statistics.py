"""The number of findings of each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.ink import BOLD, paint
from gpuspec.report.lint.summary import STYLES

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult


def statistics_text(result: LintResult, *, color: bool = False) -> str:
    """Return a line for each rule: number of findings, severity, code and name; the most findings
    first."""
    same: dict[tuple[str, str], list[Finding]] = {}
    for finding in result.findings:
        same.setdefault((finding.rule, finding.severity), []).append(finding)
    ranked = sorted(same.values(), key=lambda findings: (-len(findings), findings[0].rule))
    wide = len(str(max(map(len, ranked), default=0)))
    lines = (_line(findings, wide, color) for findings in ranked)
    return "".join(f"{line}\n" for line in lines)


def _line(findings: list[Finding], wide: int, color: bool) -> str:
    first = findings[0]
    severity = paint(f"{first.severity:7}", BOLD, STYLES[first.severity], on=color)
    return f"{len(findings):>{wide}}  {severity}  {first.rule}  {first.name}"
