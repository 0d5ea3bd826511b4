"""Reports of the linter in each of the formats.

Only the two text formats have a summary, and only if there are findings. With another format, or
without output, the caller prints the summary on stderr.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity

__all__ = ["FORMATS", "Format", "lint_report"]

Format = Literal[
    "text", "full", "concise", "json", "sarif", "junit", "github", "gitlab", "markdown"
]
FORMATS: dict[Format, bool] = {
    "text": True,
    "full": True,
    "concise": False,
    "json": True,
    "sarif": True,
    "junit": True,
    "github": True,
    "gitlab": False,
    "markdown": True,
}
"""The formats, and whether each shows fixes: fixes are computed only for reports that show them."""


def lint_report(
    result: LintResult,
    format: Format,
    *,
    fail_on: Severity | None = "error",
    width: int | None = None,
    color: bool = False,
    least: Severity = "warning",
    summary: bool = True,
) -> str:
    """Return the report in a format, with a final line break; empty for a line format without
    findings.

    `width` and `color` are for the text formats: the terminal's columns (None: no terminal) and
    whether it shows colour. Findings of severity `fail_on` or above fail the run (None: none does),
    which JUnit states. The text format only counts findings below `least`; the other formats are
    complete. Without `summary` the text formats end with the last finding.
    """
    match format:
        case "text":
            from gpuspec.report.lint.text import text_report

            return text_report(result, width=width, color=color, least=least, summary=summary)
        case "full":
            from gpuspec.report.lint.text import full_report

            return full_report(result, width=width, color=color, summary=summary)
        case "concise":
            from gpuspec.report.lint.concise import concise_report

            return concise_report(result, color=color)
        case "json":
            from gpuspec.report.lint.as_json import json_report

            return json_report(result)
        case "sarif":
            from gpuspec.report.lint.sarif import sarif_report

            return sarif_report(result)
        case "junit":
            from gpuspec.report.lint.junit import junit_report

            return junit_report(result, fail_on)
        case "github":
            from gpuspec.report.lint.github import github_report

            return github_report(result)
        case "gitlab":
            from gpuspec.report.lint.gitlab import gitlab_report

            return gitlab_report(result)
        case "markdown":
            from gpuspec.report.lint.markdown import markdown_report

            return markdown_report(result)
