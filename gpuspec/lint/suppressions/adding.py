"""Adds suppressions for all findings of a run at their places, with one reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.fixing.styled_text import holds_json
from gpuspec.lint.fixing.text_edits import TextEdit, with_edits
from gpuspec.lint.suppressions.comments import comments_of
from gpuspec.lint.suppressions.directives import Directive, MalformedDirective, in_comment
from gpuspec.lint.suppressions.suppress import OWN, SuppressionPosition
from gpuspec.manifests import InputError, Problem, SourceFile, decode, read_chunk, split
from gpuspec.settings.codes import means

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date

    from gpuspec.lint.model import Finding
    from gpuspec.lint.suppressions.comments import Comment

    Lines = Mapping[int, list[Finding]]
    """Findings by the line that a comment is to be written at."""

_BREAK = re.compile("\r\n?|\n|\\Z")
_ANY = "GPU001"
"""The code with which a reason is checked."""


def check_reason(reason: str, today: date) -> None:
    """Raise `InputError` for a reason that is invalid in a suppression, or has expired."""
    if not reason.isprintable():
        hint = "write one line, without control characters"
        raise InputError([Problem("the reason does not fit into a comment", hint=hint)])
    directive = in_comment(_comment([_ANY], reason).removeprefix("# gpuspec: ").rstrip())
    if not isinstance(directive, Directive):
        if isinstance(directive, MalformedDirective) and directive.about == "until":
            raise InputError([Problem(directive.message, hint=directive.hint)])
        hint = "write why they are right here, for the next reader"
        raise InputError([Problem("no reason is given for the suppressions", hint=hint)])
    if directive.until is not None and directive.until < today:
        hint = "name a day to come"
        raise InputError([Problem(f"`until={directive.until}` is over", hint=hint)])


def with_suppressions(
    source: SourceFile, findings: Iterable[Finding], reason: str, today: date
) -> str:
    """Return the text of a source with comments that suppress its findings, as far as possible.

    All values and the rest of the text stay. A comment is added at the end of the finding's first
    line. If YAML allows none there or another one is in the way, it is added at the end of the last
    line, or above it. A suppression that expired before `today` gets the new reason. JSON and
    unreadable files get none.
    """
    text = source.text
    text_findings = [
        finding for finding in findings if finding.file == source.name and finding.rule not in OWN
    ]
    # From the end, so that lines and offsets of what is left stay.
    for chunk in reversed(split(source)[0] if text_findings else []):
        if chunk.is_json or holds_json(chunk.text):
            continue
        last = chunk.line + chunk.text.count("\n") + 1
        chunk_findings = [
            _moved(finding, -chunk.line)
            for finding in text_findings
            if chunk.line < finding.line <= last
        ]
        if chunk_findings:
            renewed = _renewed(chunk.text, chunk_findings, reason, today)
            suppressed_text = _suppressing(renewed, chunk_findings, reason)
            text = f"{text[: chunk.start]}{suppressed_text}{text[chunk.end :]}"
    return text


def _renewed(text: str, findings: list[Finding], reason: str, today: date) -> str:
    """Return a document in which expired suppressions of findings have the new reason."""
    text_edits: list[TextEdit] = []
    for comment, directive in _directives(text):
        expired = directive.until is not None and directive.until < today
        if expired and any(_suppresses(comment, directive, finding) for finding in findings):
            end = comment.start + len(text[comment.start : comment.end].rstrip())
            behind = text.index("]", comment.start) + 1
            text_edits.append(TextEdit(behind, end, f" {reason.strip()}"))
    return with_edits(text, text_edits)


def _suppressing(text: str, findings: list[Finding], reason: str) -> str:
    """Return a document with comments for findings; their lines count from its first line."""
    for line_of in (_first, _last):
        lines = _by_line(_left(text, findings), line_of)
        together = _behind(text, lines, reason)
        if _does(text, together, lines):
            text = together
            continue
        for line, some in lines.items():
            changed = _behind(text, {line: some}, reason)
            text = changed if _does(text, changed, {line: some}) else text
    lines = _by_line(_left(text, findings), _first)
    for line in sorted(lines, reverse=True):
        changed = _above(text, line, lines[line], reason)
        shifted = [_moved(finding, 1) for finding in lines[line]]
        text = changed if _does(text, changed, {line: shifted}) else text
    return text


def _first(finding: Finding) -> int:
    return finding.line


def _last(finding: Finding) -> int:
    return finding.end_line


def _by_line(findings: Iterable[Finding], line_of: Callable[[Finding], int]) -> Lines:
    findings_by_line: dict[int, list[Finding]] = {}
    for finding in findings:
        findings_by_line.setdefault(line_of(finding), []).append(finding)
    return findings_by_line


def _moved(finding: Finding, lines: int) -> Finding:
    return msgspec.structs.replace(
        finding, line=finding.line + lines, end_line=finding.end_line + lines
    )


def _does(before: str, after: str, lines: Lines) -> bool:
    """Return whether a text has the same values with the comments, and these suppress all findings."""
    values = _values(before)
    if values is None or values != _values(after):
        return False
    return not [*_left(after, [finding for some in lines.values() for finding in some])]


def _values(text: str) -> list[str] | None:
    """Return the values of a document, in which `1`, `1.0` and `true` differ. None for invalid
    YAML."""
    values: list[str] = []
    chunks, problems = split(decode(text, ""))
    for chunk in chunks:
        documents, wrong = read_chunk(chunk)
        problems += wrong
        values += [repr(document.value) for document in documents]
    return None if problems else values


def _left(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings that no comment of the text suppresses."""
    directives = [*_directives(text)]
    for finding in findings:
        if not any(_suppresses(comment, directive, finding) for comment, directive in directives):
            yield finding


def _suppresses(comment: Comment, directive: Directive, finding: Finding) -> bool:
    """Return whether a comment suppresses a finding, even if it has expired."""
    position = SuppressionPosition(finding.file, 0, 0, 0, 0, comment=comment)
    is_meant = any(means(code, finding.rule) for code in directive.codes)
    return is_meant and position.is_for(finding, directive)


def _directives(text: str) -> Iterator[tuple[Comment, Directive]]:
    for comment in comments_of(SourceFile("", text)):
        directive = in_comment(comment.text)
        if isinstance(directive, Directive):
            yield comment, directive


def _behind(text: str, lines: Lines, reason: str) -> str:
    """Return the text with comments at the end of lines; an existing one is extended."""
    existing = {
        comment.line: (comment, directive)
        for comment, directive in _directives(text)
        if not comment.alone
    }
    ends = [match.start() for match in _BREAK.finditer(text)]
    text_edits: list[TextEdit] = []
    for line, findings in lines.items():
        codes = sorted({finding.rule for finding in findings})
        if line in existing:
            text_edits += _joined(text, *existing[line], codes, reason)
        elif 0 < line <= len(ends):
            begin = ends[line - 2] if line > 1 else 0
            end = begin + len(text[begin : ends[line - 1]].rstrip(" \t"))
            text_edits.append(TextEdit(end, end, f"  {_comment(codes, reason)}"))
    return with_edits(text, text_edits)


def _joined(
    text: str, comment: Comment, directive: Directive, codes: list[str], reason: str
) -> list[TextEdit]:
    """Return a comment with more codes and another reason; None if its date is different."""
    if directive.scope == "file" or directive.until is not None or "until=" in reason:
        return []
    bracket = text.index("]", comment.start)
    more = "" if reason in directive.reason else f"; {reason}"
    end = comment.start + len(text[comment.start : comment.end].rstrip())
    return [TextEdit(bracket, bracket, f", {', '.join(codes)}"), TextEdit(end, end, more)]


def _above(text: str, line: int, findings: list[Finding], reason: str) -> str:
    """Return the text with a comment on a line of its own above a line."""
    breaks = [match.end() for match in _BREAK.finditer(text)]
    start = breaks[line - 2] if line > 1 else 0
    lead = re.match(r" *", text[start:])
    codes = sorted({finding.rule for finding in findings})
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = lead[0] if lead else ""
    added = TextEdit(start, start, f"{indent}{_comment(codes, reason)}{newline}")
    return with_edits(text, [added])


def _comment(codes: Iterable[str], reason: str) -> str:
    return f"# gpuspec: ignore[{', '.join(codes)}] {reason.strip()}"
