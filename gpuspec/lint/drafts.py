"""Findings during a run, whose fixes are made later, only for those that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Finding, Fix
from gpuspec.lint.suppressions.verdict import has_comments
from gpuspec.manifests import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.engine import Engine
    from gpuspec.lint.policy import ReportingPolicy
    from gpuspec.lint.raised import RaisedFinding, Site
    from gpuspec.lint.result import LintResult
    from gpuspec.manifests import SourceFile

OPEN = 250_000
"""The total size of documents whose positions are kept, in characters; each takes some twenty
bytes."""


class Draft(msgspec.Struct, frozen=True):
    """A finding, with its fix if it has not been made yet."""

    finding: Finding
    fix: Fix | None = None
    document: Document | None = None
    offered: bool | None = None
    """Whether a fix is safe that is not made."""


class Drafts:
    """Converts raised findings while their documents are available."""

    def __init__(self, engine: Engine, policy: ReportingPolicy) -> None:
        self._engine = engine
        self._policy = policy
        self._open: dict[Document, None] = {}
        """The documents of recent findings, the latest last."""
        self._size = 0
        self._source: SourceFile | None = None
        """The source of the last finding with a fix, and whether it contains comments."""
        self._has_comments = False

    def draft(self, raised: RaisedFinding) -> Draft:
        """Return a finding with everything that is certainly shown."""
        raw_finding, document = raised.found, raised.site.document
        finding = raised.finding()
        if raw_finding.related:
            finding = msgspec.structs.replace(finding, related=self._engine.related(raised))
        self._keep(document)
        judged = self._policy.judged(finding)
        # The text of a fix takes longer to find than what it mends.
        if judged is None or raw_finding.fix is None or not self._policy.loud(judged):
            return Draft(judged or finding)
        if document is None:
            return Draft(_advised(judged, raw_finding.fix))
        if not self._policy.fixes:
            return Draft(judged, offered=raw_finding.fix.safe)
        if self._policy.may_know(judged) or self._may_wave(raised.site, document.source):
            return Draft(judged, raw_finding.fix, document)
        return Draft(_fixed(judged, document, raw_finding.fix))

    def _may_wave(self, site: Site, source: SourceFile) -> bool:
        """Return whether a finding of an object may be suppressed."""
        if source is not self._source:
            self._source, self._has_comments = source, has_comments(source)
        return self._has_comments or bool(site.annotations)

    def _keep(self, document: Document | None) -> None:
        """Keep a document's positions, and release the least recently used ones."""
        if document is None:
            return
        if document in self._open:
            del self._open[document]
        else:
            self._size += document.size
        self._open[document] = None
        while len(self._open) > 1 and self._size > OPEN:
            oldest = next(iter(self._open))
            del self._open[oldest]
            self._size -= oldest.size
            oldest.forget()


def completed(result: LintResult, drafts: Iterable[Draft], policy: ReportingPolicy) -> LintResult:
    """Return a run's result with the missing fixes of the remaining findings, or only with their
    number."""
    if not policy.fixes:
        return _without(result, drafts)
    later = {id(draft.finding): draft for draft in drafts if draft.fix is not None}
    if not later:
        return result
    findings: list[Finding] = []
    last: Document | None = None
    for finding in result.findings:
        draft = later.get(id(finding))
        if draft is None or draft.fix is None or draft.document is None:
            findings.append(finding)
            continue
        if last is not None and last is not draft.document:
            last.forget()
        last = draft.document
        findings.append(_fixed(finding, last, draft.fix))
    return msgspec.structs.replace(result, findings=tuple(findings))


def _without(result: LintResult, drafts: Iterable[Draft]) -> LintResult:
    offered_fixes = {
        id(draft.finding): draft.offered for draft in drafts if draft.offered is not None
    }
    findings: list[Finding] = []
    counts = [0, 0]
    for finding in result.findings:
        safe = offered_fixes.get(id(finding)) if finding.fix is None else finding.fix.safe
        if safe is not None:
            counts[not safe] += 1
        findings.append(
            finding if finding.fix is None else msgspec.structs.replace(finding, fix=None)
        )
    return msgspec.structs.replace(result, findings=tuple(findings), offered=(counts[0], counts[1]))


def _fixed(finding: Finding, document: Document, fix: Fix) -> Finding:
    from gpuspec.lint.fixing import brings_withheld, text_fix

    if finding.object is not None and brings_withheld(document, finding.object, fix):
        return finding
    text_edits = text_fix(document, fix)
    if text_edits is None:
        return _advised(finding, fix)
    return msgspec.structs.replace(finding, fix=text_edits)


def _advised(finding: Finding, fix: Fix) -> Finding:
    """Return a finding whose note says what to write, because its text cannot be edited."""
    return msgspec.structs.replace(finding, note=finding.note or fix.title)
