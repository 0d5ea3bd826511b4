"""Print a finding as a block of lines, shortened if there are many findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.escaping.characters import visible
from gpuspec.lint.pages import address
from gpuspec.report.columns import CUT, columns
from gpuspec.report.ink import BOLD, CYAN, DIM, fold, link, paint, whole
from gpuspec.report.lint.excerpt import Ink, excerpt
from gpuspec.report.lint.finding_text import fix_title, note_lines, title, where
from gpuspec.report.lint.lines import Texts, span_of
from gpuspec.report.lint.patch import patch
from gpuspec.report.lint.summary import STYLES
from gpuspec.report.lint.ways import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.model import Finding
    from gpuspec.report.lint.lines import TextSpan

WIDTH = 80
"""Columns of excerpts without a terminal; messages are then not folded."""
MOST = 8
"""The most lines of a finding in the short format."""
MESSAGE = 4
"""The most lines of its message."""
PLACES = 3
"""The most places listed of equal findings."""


_STEP = re.compile(r"[A-Za-z][\w-]*")
"""A step of a path."""


class BlockPart(msgspec.Struct, frozen=True):
    """Lines that are shown together or not at all."""

    rank: int
    """If not all parts fit, those of the lowest rank stay."""
    lines: list[str]


class FindingBlocks:
    """The lines of a report, finding by finding."""

    def __init__(
        self, texts: Texts, width: int | None, color: bool, *, brief: bool = False
    ) -> None:
        """Set up the report. `brief`: at most `MOST` lines for a finding."""
        self.lines: list[str] = []
        self._texts = texts
        self._width = width
        self._color = color
        self._brief = brief

    def finding(self, finding: Finding, alike: list[Finding] | None = None) -> None:
        """Write one finding and an empty line; `alike` are the findings that it represents."""
        ink = Ink(self._width or WIDTH, self._color, STYLES[finding.severity])
        text = self._texts.lines(finding.file)
        span = span_of(finding, text)
        edits = finding.fix.edits if finding.fix is not None else ()
        numbers = [finding.line, *(edit.end_line + edit.text.count("\n") for edit in edits)]
        size = len(str(max([*numbers, span.last + 1 if span else 0])))
        head = self._head(finding, ink)
        parts = [*self._parts(finding, alike or [], text, span, size, ink)]
        page = self._page(finding.rule, size)
        if self._brief:
            short = self._cut(head)
            rest = self._page(finding.rule, size, rest=True)
            shown = _fitting(parts, MOST - len(short) - len(rest))
            if short != head or len(shown) < len(parts) or len(alike or ()) > PLACES:
                head, parts, page = short, shown, rest
        self.lines += [*head, *(line for part in parts for line in part.lines), *page, ""]

    def line(self, findings: list[Finding]) -> None:
        """Write the findings about one object in one line, and an empty line."""
        first = findings[0]
        code = paint(first.severity, BOLD, STYLES[first.severity], on=self._color)
        names = ", ".join(dict.fromkeys(map(title, findings)))
        text = f"{where(first)}: {first.object} breaks policies that no given file states: {names} (gpuspec rule CODE)"
        head, *rest = fold(f"{first.severity} {visible(text)}", self._width, "", "  ")
        self.lines += [code + head.removeprefix(first.severity), *rest, ""]

    def _head(self, finding: Finding, ink: Ink) -> list[str]:
        """Return `error[GPU102] request-differs-from-limit: …`, folded for a terminal."""
        code = f"{finding.severity}[{finding.rule}]"
        sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
        name = f"{finding.name}{sure}:"
        first, *rest = fold(
            f"{whole(f'{code} {name}')} {visible(finding.said)}", self._width, "", "  "
        )
        painted = f"{ink.mark(code)} {paint(name, BOLD, on=self._color)}"
        return [painted + first.removeprefix(f"{code} {name}"), *rest]

    def _parts(
        self,
        finding: Finding,
        alike: list[Finding],
        text: list[str],
        span: TextSpan | None,
        size: int,
        ink: Ink,
    ) -> Iterator[BlockPart]:
        """Yield the parts below the message, in their order."""
        about = "" if finding.object is None else visible(str(finding.object))
        place = f"{'':>{size}}--> {visible(where(finding))}"
        beside = bool(about) and columns(f"{place} in {about}") <= ink.width
        arrow = paint(place[: size + 3], DIM, on=self._color) + place[size + 3 :]
        yield BlockPart(0, [f"{arrow} in {about}" if beside else arrow])
        if span is not None:
            rank = 2 if _shows(finding, span, text[span.line]) else 6
            yield BlockPart(rank, excerpt(text, span, size, ink, brief=self._brief))
        if about and not beside:
            yield BlockPart(4, self._remark("in", whole(about), size))
        if finding.path and (span is None or not self._brief):
            yield BlockPart(9, self._remark("path", whole(visible(finding.path)), size))
        if finding.template is not None:
            yield BlockPart(8, self._remark("template", visible(finding.template), size))
        for related in finding.related:
            place_text = whole(visible(f"{related.file}:{related.line}:{related.column}:"))
            yield BlockPart(
                7, self._remark("see", f"{place_text} {visible(related.message)}", size)
            )
        for line in note_lines(finding):
            yield BlockPart(5, self._remark("note", visible(line), size))
        if alike:
            yield BlockPart(3, self._remark("also", _places(finding, alike), size))
        if (fix := fix_title(finding)) is not None:
            head = paint("help:", BOLD, CYAN, on=self._color)
            first, *rest = fold(f"help: {visible(fix)}", self._width, "", "  ")
            yield BlockPart(1, [head + first.removeprefix("help:"), *rest])
            if finding.fix is not None and finding.fix.reason is not None:
                yield BlockPart(6, self._remark("unsafe", finding.fix.reason, size))
            if text and finding.fix is not None:
                yield BlockPart(10, patch(text, finding.fix.edits, size, ink))

    def _remark(self, label: str, text: str, size: int) -> list[str]:
        margin = " " * (size + 1)
        head = f"{margin}= {label}: "
        first, *rest = fold(text, self._width, head, " " * len(head))
        painted = (
            f"{margin}{paint('=', DIM, on=self._color)} {paint(f'{label}:', BOLD, on=self._color)} "
        )
        return [painted + first.removeprefix(head), *rest]

    def _page(self, code: str, size: int, *, rest: bool = False) -> list[str]:
        """Return the reference to the rule's page, and to the `rest` of the details."""
        page = whole(f"gpuspec rule {code}")
        lines = self._remark("more", f"{page}; the rest: {whole(FULL)}" if rest else page, size)
        target = address(code)
        if self._color and target is not None:
            lines[0] = lines[0].replace(code, link(code, target), 1)
        return lines

    def _cut(self, head: list[str]) -> list[str]:
        """Return the first lines of a message, with a mark if it continues."""
        if len(head) <= MESSAGE:
            return head
        last = head[MESSAGE - 1]
        if self._width is not None and columns(last) > self._width - 2:
            last = last.rpartition(" ")[0]
        return [*head[: MESSAGE - 1], f"{last} {CUT}"]


def _fitting(parts: list[BlockPart], room: int) -> list[BlockPart]:
    """Return the parts that fit, by rank, in their order."""
    fit: set[int] = set()
    for index, part in sorted(enumerate(parts), key=lambda indexed: indexed[1].rank):
        if len(part.lines) <= room:
            room -= len(part.lines)
            fit.add(index)
    return [part for index, part in enumerate(parts) if index in fit]


def _shows(finding: Finding, span: TextSpan, line: str) -> bool:
    """Return whether a line contains the field of a finding, or its value.

    For a missing field the first line of its parent is shown.
    """
    steps = _STEP.findall(finding.path)
    several = span.last > span.line
    return several or not steps or finding.path.endswith("]") or steps[-1] in line


def _places(finding: Finding, alike: list[Finding]) -> str:
    """Return `30 more like it, at 14:5, k8s/b.yaml:7:5 and 28 more`."""
    shown = ", ".join(
        whole(
            f"{similar.line}:{similar.column}"
            if similar.file == finding.file
            else visible(where(similar))
        )
        for similar in alike[:PLACES]
    )
    more = f" and {len(alike) - PLACES} more" if len(alike) > PLACES else ""
    return f"{len(alike)} more like it, at {shown}{more}"
