"""A run that applies fixes, and its result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.result import LintResult
from gpuspec.manifests import InputError, Problem, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gpuspec.lint.model import Finding
    from gpuspec.loading.inputs import Inputs


class FixResult(msgspec.Struct, frozen=True):
    """The remaining findings and the changes."""

    result: LintResult
    """The result for the changed texts."""
    changed: dict[str, tuple[str, str]]
    """The texts before and after, by file; only changed ones."""
    gone: int
    """The number of findings that are gone."""
    piped: SourceFile | None = None
    """Standard input after the changes; None if it was not read or is not text."""

    def diff(self) -> str:
        """Return the changes as a patch."""
        from gpuspec.lint.fixing import diff

        return "".join(diff(name, *texts) for name, texts in self.changed.items())


def mend(inputs: Inputs, look: Callable[[Inputs], LintResult], *, unsafe: bool) -> FixResult:
    """Apply every safe fix, or every fix, until none is left. Nothing is written.

    `look` lints.
    """
    from gpuspec.lint.fixing import settled

    generated = tuple(source for source in inputs.sources if source.generated)
    before = {source.name: source.text for source in inputs.sources if not source.generated}
    rounds: list[tuple[Mapping[str, str], LintResult]] = []

    def findings(texts: Mapping[str, str]) -> tuple[Finding, ...]:
        sources = tuple(SourceFile(name, texts[name]) for name in before)
        rounds.append(
            (texts, look(msgspec.structs.replace(inputs, sources=(*sources, *generated))))
        )
        return rounds[-1][1].findings

    after: Mapping[str, str] = settled(before, findings, unsafe=unsafe)
    changed = {name: (before[name], text) for name, text in after.items() if text != before[name]}
    if rounds[-1][0] != after:
        findings(after)
    first, last = rounds[0][1], rounds[-1][1]
    gone = max(len(first.findings) - len(last.findings), 0)
    return FixResult(last, changed, gone, _piped(inputs, changed))


def suppress(inputs: Inputs, look: Callable[[Inputs], LintResult], reason: str) -> FixResult:
    """Add a suppression with a reason at each finding that a comment can suppress. Nothing is
    written.

    `look` lints. Raises `InputError` for an invalid reason.
    """
    from datetime import UTC, datetime

    from gpuspec.lint.suppressions.adding import check_reason, with_suppressions

    today = datetime.now(UTC).date()
    check_reason(reason, today)
    first = look(inputs)
    changed: dict[str, tuple[str, str]] = {}
    sources: list[SourceFile] = []
    for source in inputs.sources:
        text = source.text
        if not source.generated:
            text = with_suppressions(source, first.findings, reason, today)
        sources.append(msgspec.structs.replace(source, text=text))
        if text != source.text:
            changed[source.name] = source.text, text
    last = look(msgspec.structs.replace(inputs, sources=tuple(sources))) if changed else first
    gone = len(first.findings) - len(last.findings)
    return FixResult(last, changed, gone, _piped(inputs, changed))


def _piped(inputs: Inputs, changed: Mapping[str, tuple[str, str]]) -> SourceFile | None:
    if inputs.piped is None or inputs.piped.name not in changed:
        return inputs.piped
    return msgspec.structs.replace(inputs.piped, text=changed[inputs.piped.name][1])


def write(mended: FixResult, tell: Callable[[int, int], None] | None = None) -> None:
    """Write the changed files, except standard input.

    Raises `InputError` with the files that could not be written. `tell` is called with the
    progress.
    """
    from gpuspec.lint.fixing import save

    problems: list[Problem] = []
    piped = None if mended.piped is None else mended.piped.name
    files = {name: texts for name, texts in mended.changed.items() if name != piped}
    for number, (name, (before, after)) in enumerate(files.items(), 1):
        try:
            save(Path(name), before, after)
        except OSError as error:
            problems.append(Problem(f"{name}: {error.strerror}"))
        except InputError as error:
            problems += error.problems
        if tell is not None:
            tell(number, len(files))
    if problems:
        raise InputError(problems)
