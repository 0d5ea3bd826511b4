"""The result of a run of the linter."""

from __future__ import annotations

import msgspec

from gpuspec.lint.model import Finding
from gpuspec.loading.notes import NOT_RENDERED, LoadingNote
from gpuspec.settings.severity import Severity


class SuppressedFinding(msgspec.Struct, frozen=True):
    """A suppressed finding, with the reason."""

    finding: Finding
    reason: str


class LintResult(msgspec.Struct, frozen=True):
    """The result of a run of the linter. Findings are ordered by file, line and column."""

    findings: tuple[Finding, ...] = ()
    """The findings after suppressions, the baseline and the severity threshold."""
    suppressed: tuple[SuppressedFinding, ...] = ()
    """Findings that a comment or an annotation suppresses, without their fixes."""
    baselined: tuple[Finding, ...] = ()
    """Findings in the baseline, without their fixes, because they are accepted for now."""
    notes: tuple[LoadingNote, ...] = ()
    files: int = 0
    """The number of files, including standard input and skipped files."""
    documents: int = 0
    """The number of linted Kubernetes objects and gpuspec documents."""
    unreadable: bool = False
    """Whether none of the input could be parsed."""
    interrupted: bool = False
    """Whether Ctrl-C ended the run early."""
    unopened: int = 0
    """The number of texts with pods that an interrupted run did not reach."""
    offered: tuple[int, int] = (0, 0)
    """The numbers of findings with a possible safe and unsafe fix, in a run without fixes: it is
    unknown whether the texts allow them."""
    texts: dict[str, str] = {}
    """The text of each file with a finding, by its name, for excerpts."""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to lint. Files that were skipped on purpose count as something."""
        passed = [note for note in self.notes if note.text != NOT_RENDERED]
        return not (self.documents or passed or self.findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings with a severity."""
        return sum(finding.severity == severity for finding in self.findings)


class LintInterrupt(KeyboardInterrupt):
    """Ctrl-C while rules ran, with the findings so far as the result."""

    def __init__(self, result: LintResult) -> None:
        super().__init__()
        self.result = result
