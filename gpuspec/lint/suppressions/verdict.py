"""The findings that remain after suppressions and the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.model import Finding
from gpuspec.lint.result import LintResult, SuppressedFinding
from gpuspec.loading.notes import LoadingNote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.policy import ReportingPolicy
    from gpuspec.lint.suppressions.annotations import Annotation
    from gpuspec.manifests import SourceFile

MARK = "gpuspec:"
"""The text that every comment for the linter contains."""


def verdict(
    raw_findings: Iterable[Finding],
    policy: ReportingPolicy,
    sources: Iterable[SourceFile],
    annotations: list[Annotation],
) -> LintResult:
    """Return findings with the severities of the policy, without those that are suppressed, known
    or below the threshold."""
    texts = {source.name: source for source in sources}
    judged = [
        judged_finding
        for finding in raw_findings
        if (judged_finding := policy.judged(finding)) is not None
    ]
    suppressed: list[SuppressedFinding] = []
    if annotations or any(map(has_comments, texts.values())):
        from datetime import UTC, datetime

        from gpuspec.lint.suppressions.suppress import apply

        # A suppression ends with a day, the same one everywhere.
        today = datetime.now(UTC).date()
        judged, suppressed, own_findings = apply(
            judged, texts.values(), annotations, today, policy.anywhere
        )
        judged += (
            judged_finding
            for finding in own_findings
            if (judged_finding := policy.judged(finding)) is not None
        )
    remaining, hidden, notes = _known(_once(sorted(judged, key=_position)), policy, texts)
    findings = tuple(filter(policy.loud, remaining))
    waved = sorted(suppressed, key=lambda suppressed_finding: _position(suppressed_finding.finding))
    shown = {
        finding.file
        for finding in (
            *findings,
            *(suppressed_finding.finding for suppressed_finding in waved),
            *hidden,
        )
    }
    return LintResult(
        findings=findings,
        suppressed=tuple(
            suppressed_finding
            for suppressed_finding in waved
            if policy.loud(suppressed_finding.finding)
        ),
        baselined=tuple(filter(policy.loud, hidden)),
        notes=notes,
        texts={name: texts[name].text for name in sorted(shown) if name in texts},
    )


def has_comments(source: SourceFile) -> bool:
    """Return whether a text may contain a comment for the linter."""
    return MARK in source.text


def _known(
    findings: list[Finding], policy: ReportingPolicy, files: Iterable[str]
) -> tuple[Iterable[Finding], Iterable[Finding], tuple[LoadingNote, ...]]:
    """Return new findings, known findings, and a note on stale entries of the baseline."""
    if policy.baseline is None:
        return findings, (), ()
    from gpuspec.lint.suppressions.baseline import apply, is_gone, note

    baseline = policy.baseline
    against_baseline = apply(
        findings, baseline.entries, baseline.folder, files, policy.anywhere, is_gone
    )
    stale = note(against_baseline.stale, baseline.file)
    return against_baseline.kept, against_baseline.hidden, () if stale is None else (stale,)


def _once(findings: list[Finding]) -> list[Finding]:
    """Return each finding once; several pods may have it at one shared place."""
    return list(
        {(_position(finding), finding.message): finding for finding in reversed(findings)}.values()
    )[::-1]


def _position(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.file, finding.line, finding.column, finding.rule, finding.path
