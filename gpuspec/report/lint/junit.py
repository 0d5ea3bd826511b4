"""JUnit XML, for CI systems that show tests."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from gpuspec.escaping.formats import xml
from gpuspec.escaping.lines import guarded
from gpuspec.lint.policy import at_least
from gpuspec.report.lint.finding_text import remarks, title, where

if TYPE_CHECKING:
    from gpuspec.lint.model import Finding
    from gpuspec.lint.result import LintResult
    from gpuspec.settings.severity import Severity


def junit_report(result: LintResult, fail_on: Severity | None = "error") -> str:
    """Return a suite for each file, with a case for each finding.

    Findings of severity `fail_on` or above fail, as in the exit code (None: none does); the others
    pass with their text as output. Suppressed findings are skipped with their reason. A run without
    findings has one case that passes, since some readers reject a report without cases.
    """
    cases = [(finding.file, _case(finding, fail_on)) for finding in result.findings]
    cases += [(s.finding.file, _case(s.finding, None, s.reason)) for s in result.suppressed]
    order = {file: index for index, file in enumerate(dict.fromkeys(file for file, _ in cases))}
    cases.sort(key=lambda case: order[case[0]])
    suites = [
        _suite(file, [case for _, case in group])
        for file, group in groupby(cases, key=lambda case: case[0])
    ]
    if not suites:
        suites = [_suite("gpuspec", ['    <testcase name="lint" classname="gpuspec"/>'])]
    failed = sum(_fails(finding, fail_on) for finding in result.findings)
    head = (
        f'<testsuites name="gpuspec" tests="{max(len(cases), 1)}" failures="{failed}" errors="0">'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>"]
    return "\n".join(lines) + "\n"


def _suite(name: str, cases: list[str]) -> str:
    failed = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    head = (
        f'  <testsuite name="{xml(name)}" tests="{len(cases)}" failures="{failed}" '
        f'errors="0" skipped="{skipped}">'
    )
    return "\n".join([head, *cases, "  </testsuite>"])


def _case(finding: Finding, fail_on: Severity | None, reason: str | None = None) -> str:
    about = f"{title(finding)} at {finding.line}:{finding.column}"
    texts = (f"{where(finding)}: {finding.severity}: {finding.said}", *remarks(finding))
    # A hint may name a file whose name has a line that a CI would obey.
    text = guarded("\n".join(map(xml, texts)))
    message = xml(finding.said)
    if reason is not None:
        inner = f'<skipped message="{xml(reason)}">{text}</skipped>'
    elif _fails(finding, fail_on):
        inner = f'<failure type="{finding.severity}" message="{message}">{text}</failure>'
    else:
        inner = f"<system-out>{text}</system-out>"
    head = f'    <testcase name="{xml(about)}" classname="{xml(finding.file)}">'
    return f"{head}\n      {inner}\n    </testcase>"


def _fails(finding: Finding, fail_on: Severity | None) -> bool:
    return fail_on is not None and at_least(finding.severity, fail_on)
