"""Annotations of GitHub Actions: workflow commands in a step's output.

GitHub shows no more than ten of each severity for a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.formats import workflow_command
from gpuspec.report.lint.finding_text import CHART, STDIN, in_repository, remarks, title, where

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def github_report(result: LintResult) -> str:
    """Return a `::error …::message` line for each finding."""
    return "".join(map(_annotation, result.findings))


def _annotation(finding: Finding) -> str:
    properties: dict[str, object] = {}
    before = ""
    if finding.file == STDIN or finding.file.endswith(CHART):
        # There is no such file to annotate.
        before = f"{where(finding)}: "
    else:
        properties["file"] = in_repository(finding.file)
        properties["line"] = finding.line
        properties["endLine"] = finding.end_line
        # The runner refuses columns of an annotation that has several lines.
        if finding.line == finding.end_line:
            properties["col"] = finding.column
            # Ours is behind the last character, theirs is that character.
            properties["endColumn"] = max(finding.end_column - 1, finding.column)
    properties["title"] = title(finding)
    message = (before + finding.said, *remarks(finding))
    return workflow_command(_COMMANDS[finding.severity], properties, message)
