"""Group and order the findings of a report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gpuspec.lint.rows import POLICIES
from gpuspec.report.lint.finding_text import fix_title
from gpuspec.settings.severity import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.kinds import ObjectIdentity
    from gpuspec.lint.model import Finding


def worst_last(findings: Iterable[Finding]) -> list[Finding]:
    """Return infos, warnings, errors; each in the order of files and lines."""
    return sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))


def once(findings: Iterable[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Return the first of equal findings with the others, in whatever file they are."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        alike.setdefault(_said(finding), []).append(finding)
    return [(first, others) for first, *others in alike.values()]


def by_object(findings: list[Finding]) -> tuple[list[list[Finding]], list[Finding]]:
    """Return the infos of several policies about one object, and the remaining findings.

    The user stated none of these policies, otherwise they would not be infos: one line is enough
    for all.
    """
    about = [_policy_of(finding) for finding in findings]
    counts = Counter(filter(None, about))
    lines: dict[tuple[str, ObjectIdentity], list[Finding]] = {}
    others: list[Finding] = []
    for finding, key in zip(findings, about, strict=True):
        if key is not None and counts[key] > 1:
            lines.setdefault(key, []).append(finding)
        else:
            others.append(finding)
    return [*lines.values()], others


def _policy_of(finding: Finding) -> tuple[str, ObjectIdentity] | None:
    if finding.severity != "info" or finding.rule not in POLICIES or finding.object is None:
        return None
    return finding.file, finding.object


def _said(finding: Finding) -> tuple[str, ...]:
    return (
        finding.rule,
        finding.severity,
        finding.said,
        finding.note or "",
        fix_title(finding) or "",
    )
