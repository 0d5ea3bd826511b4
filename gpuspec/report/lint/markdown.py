"""A pull request comment, in the Markdown that GitHub and GitLab share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.markdown import code, prose
from gpuspec.report.lint.finding_text import fix_title, in_repository, title
from gpuspec.report.lint.summary import summary_text

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

_MARKS: dict[Severity, str] = {
    "error": "🔴 error",
    "warning": "🟡 warning",
    "info": "🔵 info",
}
MOST = 50_000
"""The most characters of all rows: GitHub accepts 65,536 in a comment."""


def markdown_report(result: LintResult) -> str:
    """Return a table of the findings, errors first, or a sentence if there are none."""
    summary = summary_text(result).strip().replace("--", "\\--")
    lines = [f"**gpuspec lint**: {summary}"]
    if result.findings:
        lines += ["", "| | Where | What |", "|---|---|---|", *_rows(result.findings)]
    return "\n".join(lines) + "\n"


def _rows(findings: tuple[Finding, ...]) -> list[str]:
    order = list(_MARKS)
    ranked = sorted(findings, key=lambda entry: order.index(entry.severity))
    rows: list[str] = []
    size = 0
    for index, finding in enumerate(ranked):
        row = _row(finding)
        size += len(row) + 1
        if size > MOST:
            rows.append(f"| | | … and {len(ranked) - index} more |")
            break
        rows.append(row)
    return rows


def _row(finding: Finding) -> str:
    where = code(f"{in_repository(finding.file)}:{finding.line}")
    if finding.object is not None:
        where += f"<br>{prose(str(finding.object))}"
    parts = [f"**{prose(title(finding))}**", prose(finding.said)]
    parts += [prose(finding.note.replace("\n", " "))] if finding.note else []
    fix = fix_title(finding)
    parts += [f"Fix: {prose(fix)}"] if fix else []
    return f"| {_MARKS[finding.severity]} | {where} | {'<br>'.join(parts)} |"
