"""What a run of the linter comes to."""

from __future__ import annotations

import msgspec

from gpuspec.lint.model import Finding
from gpuspec.loading.notes import NOT_RENDERED, LoadingNote
from gpuspec.settings.severity import Severity


class SuppressedFinding(msgspec.Struct, frozen=True):
    """A finding that somebody has looked at and suppressed, and why."""

    finding: Finding
    reason: str


class LintResult(msgspec.Struct, frozen=True):
    """What a run of the linter comes to. Findings stand in the order of files, lines, columns."""

    findings: tuple[Finding, ...] = ()
    """What is left when suppressions, the baseline and the wanted severity are taken off."""
    suppressed: tuple[SuppressedFinding, ...] = ()
    """Findings that a comment or an annotation waves through, without their fixes."""
    baselined: tuple[Finding, ...] = ()
    """Findings that the baseline knows, without their fixes: nobody is to mend them now."""
    notes: tuple[LoadingNote, ...] = ()
    files: int = 0
    """Files that were looked at; standard input is one, and so is a file that was passed over."""
    documents: int = 0
    """Kubernetes objects and gpuspec documents that rules were shown."""
    unreadable: bool = False
    """Nothing that was given could be parsed."""
    interrupted: bool = False
    """Ctrl-C ended the run before all was looked into."""
    unopened: int = 0
    """Texts with pods that an interrupted run did not come to."""
    offered: tuple[int, int] = (0, 0)
    """Findings for which there may be a safe fix, and an unsafe one, where fixes were not to be made:
    no text was asked whether it allows them."""
    texts: dict[str, str] = {}
    """The text of each file with a finding, by its name, for excerpts."""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to lint. What was passed over on purpose was something."""
        passed = [note for note in self.notes if note.text != NOT_RENDERED]
        return not (self.documents or passed or self.findings)

    def count(self, severity: Severity) -> int:
        """Return how many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


class LintInterrupt(KeyboardInterrupt):
    """Ctrl-C while rules were at work; what was found until then is the result."""

    def __init__(self, result: LintResult) -> None:
        super().__init__()
        self.result = result
