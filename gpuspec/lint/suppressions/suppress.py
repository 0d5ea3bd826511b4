"""Applies suppressions to findings, and reports invalid and unused ones."""

from __future__ import annotations

import sys
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.fixing.text_edits import TextEdit, lines_of
from gpuspec.lint.model import Finding, TextFix
from gpuspec.lint.registry import rule
from gpuspec.lint.result import SuppressedFinding
from gpuspec.lint.rows import ROWS
from gpuspec.lint.suppressions.comments import Comment, comments_of
from gpuspec.lint.suppressions.directives import (
    Directive,
    MalformedDirective,
    in_annotation,
    in_comment,
)
from gpuspec.manifests import format_path
from gpuspec.settings.codes import means

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date

    from gpuspec.lint.suppressions.annotations import Annotation
    from gpuspec.manifests import Path, SourceFile

UNUSED = "GPU091"
EXPIRED = "GPU092"
MALFORMED = "GPU093"
OWN = (UNUSED, EXPIRED, MALFORMED)


class SuppressionPosition(msgspec.Struct, frozen=True):
    """The position of a suppression, and the findings to which it applies."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    source: SourceFile | None = None
    comment: Comment | None = None
    path: str = ""
    """The path of an annotation."""
    objects: tuple[tuple[ObjectIdentity, Path], ...] = ()
    """The objects to which an annotation applies, and the paths in them."""

    def is_for(self, finding: Finding, directive: Directive) -> bool:
        """Return whether a finding of any rule is in the scope of the suppression."""
        if self.comment is None:
            return finding.file == self.file and any(
                finding.object == identity and _below(finding.path, format_path(covers))
                for identity, covers in self.objects
            )
        if finding.file != self.file or directive.scope == "file":
            return finding.file == self.file
        lines, comment = self.comment.lines, self.comment
        span = (finding.line, finding.column, finding.end_line, finding.end_column)
        return (
            (lines is not None and lines[0] <= finding.line <= lines[1])
            or finding.line in comment.also
            or span in comment.spans
        )


class FindingPositions:
    """An index of findings by position, so that a suppression is compared only with those near it."""

    def __init__(self, findings: list[Finding]) -> None:
        self._files: dict[str, list[tuple[int, int]]] = {}
        """Line and index of the findings, by file."""
        self._objects: dict[tuple[str, ObjectIdentity | None], list[int]] = {}
        for at, finding in enumerate(findings):
            self._files.setdefault(finding.file, []).append((finding.line, at))
            self._objects.setdefault((finding.file, finding.object), []).append(at)
        for lines in self._files.values():
            lines.sort()

    def near(self, spot: SuppressionPosition, directive: Directive) -> set[int]:
        """Return the indexes of the findings to which a suppression may apply."""
        if spot.comment is None:
            numbers = (self._objects.get((spot.file, identity), ()) for identity, _ in spot.objects)
            return {at for some in numbers for at in some}
        if directive.scope == "file":
            return self._between(spot.file, 0, sys.maxsize)
        comment = spot.comment
        lines = [comment.lines] if comment.lines is not None else []
        lines += [(line, line) for line in (*comment.also, *(span[0] for span in comment.spans))]
        return {at for first, last in lines for at in self._between(spot.file, first, last)}

    def _between(self, file: str, first: int, last: int) -> set[int]:
        lines = self._files.get(file, [])
        some = lines[bisect_left(lines, (first, -1)) : bisect_left(lines, (last + 1, -1))]
        return {at for _, at in some}


def apply(
    findings: Iterable[Finding],
    sources: Iterable[SourceFile],
    annotations: Iterable[Annotation],
    today: date,
    ran: Callable[[str], bool] = lambda code: True,
) -> tuple[list[Finding], list[SuppressedFinding], list[Finding]]:
    """Remove the findings that comments and annotations suppress.

    Args:
        findings: Of all files, as loud as the rules say.
        sources: The texts in which comments may be.
        annotations: Of all objects.
        today: A suppression holds to the end of its last day.
        ran: Whether a rule, by its code, was among those that ran: what another one would find is
            not known, and a suppression of it not called unused.

    Returns:
        The findings that are left, in their order; the others with the reason; and what is wrong
        with the suppressions themselves. The last cannot be suppressed, only not selected.
    """
    all_directives = [*_in_comments(sources), *_in_annotations(annotations)]
    directives = [
        (spot, directive) for spot, directive in all_directives if isinstance(directive, Directive)
    ]
    holding = [
        (s, directive)
        for s, directive in directives
        if directive.until is None or today <= directive.until
    ]
    used: set[tuple[int, str]] = set()
    all_findings = list(findings)
    reasons: dict[int, str] = {}
    places = FindingPositions(all_findings)
    for number, (spot, directive) in enumerate(holding):
        for at in places.near(spot, directive):
            codes = [code for code in directive.codes if means(code, all_findings[at].rule)]
            if codes and spot.is_for(all_findings[at], directive):
                used.update((number, code) for code in codes)
                reasons.setdefault(at, directive.reason)
    unsuppressed = [finding for at, finding in enumerate(all_findings) if at not in reasons]
    suppressed = [SuppressedFinding(all_findings[at], reasons[at]) for at in sorted(reasons)]
    own_findings = [
        _malformed(spot, directive)
        for spot, directive in all_directives
        if isinstance(directive, MalformedDirective)
    ]
    own_findings += [
        _expired(s, directive)
        for s, directive in directives
        if directive.until is not None and directive.until < today
    ]
    for number, (spot, directive) in enumerate(holding):
        idle = [
            code for code in directive.codes if (number, code) not in used and _all_ran(code, ran)
        ]
        if idle:
            own_findings.append(_unused(spot, directive, idle))
    return (
        unsuppressed,
        suppressed,
        sorted(
            own_findings,
            key=lambda finding: (finding.file, finding.line, finding.column, finding.rule),
        ),
    )


def _in_comments(
    sources: Iterable[SourceFile],
) -> Iterator[tuple[SuppressionPosition, Directive | MalformedDirective]]:
    for source in sources:
        for comment in comments_of(source):
            directive = in_comment(comment.text)
            if directive is not None:
                end = comment.column + comment.end - comment.start
                span = (comment.line, comment.column, comment.line, end)
                yield SuppressionPosition(source.name, *span, source, comment), directive


def _in_annotations(
    annotations: Iterable[Annotation],
) -> Iterator[tuple[SuppressionPosition, Directive | MalformedDirective]]:
    # What is written once may come to stand in several objects.
    together: dict[tuple[object, ...], list[Annotation]] = {}
    for annotation in annotations:
        together.setdefault((annotation.start, annotation.end, annotation.text), []).append(
            annotation
        )
    for some in together.values():
        first = some[0]
        spot = SuppressionPosition(
            first.start.file,
            first.start.line,
            first.start.column,
            first.end.line,
            first.end.column,
            path=format_path(first.path),
            objects=tuple((annotation.object, annotation.covers) for annotation in some),
        )
        for directive in in_annotation(first.text):
            yield spot, directive


def _below(path: str, covers: str) -> bool:
    return not covers or path == covers or path.startswith((f"{covers}.", f"{covers}["))


def _all_ran(beginning: str, ran: Callable[[str], bool]) -> bool:
    return all(ran(row.code) for row in ROWS if means(beginning, row.code))


def _malformed(spot: SuppressionPosition, wrong: MalformedDirective) -> Finding:
    return _finding(MALFORMED, spot, wrong.message, wrong.hint)


def _expired(spot: SuppressionPosition, directive: Directive) -> Finding:
    message = f"the suppression of {_listed(directive.codes)} expired after {directive.until}: its findings are shown again"
    note = f"fix the findings, or set a new date (its reason: {directive.reason})"
    return _finding(EXPIRED, spot, message, note)


def _unused(spot: SuppressionPosition, directive: Directive, idle: list[str]) -> Finding:
    if spot.comment is not None and spot.comment.lines is None:
        message = f"nothing follows the suppression of {_listed(idle)} in its document"
        note = "write it above the entry that it is for, after any `---`"
    else:
        message = f"the suppression of {_listed(idle)} matches nothing: it would hide a new fault"
        note = f"remove the suppression (its reason: {directive.reason})"
    finding = _finding(UNUSED, spot, message, note)
    return msgspec.structs.replace(finding, fix=_removal(spot, directive, idle))


def _removal(spot: SuppressionPosition, directive: Directive, idle: list[str]) -> TextFix | None:
    """Return a fix that removes unused rules; it is unsafe, because another run may need them."""
    comment, source = spot.comment, spot.source
    if comment is None or source is None:
        return None
    text = source.text
    if needed := [code for code in directive.codes if code not in idle]:
        start, end = text.index("[", comment.start) + 1, text.index("]", comment.start)
        text_edit = TextEdit(start, end, ", ".join(needed))
    else:
        line = max(
            text.rfind("\n", 0, comment.start) + 1, len(text) - len(text.removeprefix("\ufeff"))
        )
        behind = len(text[line : comment.start].rstrip(" \t"))
        end = text.find("\n", comment.end)
        whole = (line, len(text) if end < 0 else end + 1)
        text_edit = TextEdit(*(whole if comment.alone else (line + behind, comment.end)), "")
    edits = lines_of(text).edits([text_edit])
    return TextFix(f"remove the suppression of {_listed(idle)}", safe=False, edits=edits)


def _finding(code: str, spot: SuppressionPosition, message: str, note: str) -> Finding:
    suppression_rule = rule(code)
    return Finding(
        rule=code,
        name=suppression_rule.name,
        severity=suppression_rule.severity,
        confidence="certain",
        message=message,
        file=spot.file,
        line=spot.line,
        column=spot.column,
        end_line=spot.end_line,
        end_column=spot.end_column,
        path=spot.path,
        object=spot.objects[0][0] if spot.objects else None,
        note=note,
    )


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes)
