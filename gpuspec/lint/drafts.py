"""Findings as a run collects them: a fix that nobody may ever see is made when it is known who does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Finding, Fix
from gpuspec.manifests import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.engine import Engine
    from gpuspec.lint.raised import Raised
    from gpuspec.lint.result import Result
    from gpuspec.lint.settings.policy import Policy

OPEN = 1_000_000
"""Characters of documents whose positions are kept, which take some twenty bytes for each."""


class Draft(msgspec.Struct, frozen=True):
    """A finding, and how it is mended where that has still to be said in its text."""

    finding: Finding
    fix: Fix | None = None
    document: Document | None = None


class Drafts:
    """Makes findings of what rules said, while their documents are at hand."""

    def __init__(self, engine: Engine, policy: Policy) -> None:
        self._engine = engine
        self._policy = policy
        self._open: dict[Document, None] = {}
        """The documents that findings were about, the last one last."""
        self._size = 0

    def draft(self, raised: Raised) -> Draft:
        """A finding with all that its reader is sure to get."""
        found, document = raised.found, raised.site.document
        finding = raised.finding()
        if found.related:
            finding = msgspec.structs.replace(finding, related=self._engine.related(raised))
        self._keep(document)
        judged = self._policy.judged(finding)
        # The text of a fix takes longer to find than what it mends.
        if judged is None or found.fix is None or document is None or not self._policy.loud(judged):
            return Draft(judged or finding)
        if self._policy.may_know(judged):
            return Draft(judged, found.fix, document)
        return Draft(_fixed(judged, document, found.fix))

    def _keep(self, document: Document | None) -> None:
        """Keep a document's positions, and let go of those that were not asked for the longest."""
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


def completed(result: Result, drafts: Iterable[Draft]) -> Result:
    """A run's result with the fixes that were not made yet, of what is left to be read."""
    later = {id(one.finding): one for one in drafts if one.fix is not None}
    if not later:
        return result
    findings = tuple(_complete(one, later.get(id(one))) for one in result.findings)
    return msgspec.structs.replace(result, findings=findings)


def _complete(finding: Finding, draft: Draft | None) -> Finding:
    if draft is None or draft.fix is None or draft.document is None:
        return finding
    return _fixed(finding, draft.document, draft.fix)


def _fixed(finding: Finding, document: Document, fix: Fix) -> Finding:
    from gpuspec.lint.fixing import text_fix

    return msgspec.structs.replace(finding, fix=text_fix(document, fix))
