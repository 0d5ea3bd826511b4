"""GitLab's Code Quality report (`artifacts:reports:codequality`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.escaping.formats import json_text
from gpuspec.report.lint.finding_text import in_repository, title

if TYPE_CHECKING:
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}
"""Three of GitLab's five severities; `critical` and `blocker` are left to the user."""


def gitlab_report(result: LintResult) -> str:
    """Return a list of issues. Their fingerprints contain no line numbers, so GitLab recognises
    them after edits."""
    from gpuspec.lint.suppressions.fingerprint import fingerprints

    marks = fingerprints(result.findings)
    return json_text(
        [
            {
                # GitLab does not show the check's name: it stands here too.
                "description": visible(f"{title(finding)}: {finding.said}"),
                "check_name": finding.rule,
                "fingerprint": mark,
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": in_repository(finding.file),
                    "lines": {"begin": finding.line, "end": finding.end_line},
                },
            }
            for finding, mark in zip(result.findings, marks, strict=True)
        ]
    )
