"""The lines that findings point into."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.lint.model import Finding


_WORD = re.compile(r"[^\s,{}\[\]]*[^\s,{}\[\]:]")


class TextSpan(msgspec.Struct, frozen=True):
    """Where a finding is, brought inside its text. Lines and columns count from 0."""

    line: int
    start: int
    last: int
    """The last line of it."""
    end: int
    """Behind its last character in the last line. On one line it is behind `start`."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, which may be those of Windows or of old
    Macs."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def word_end(line: str, start: int) -> int:
    """Return where the word that stands at a place of a line ends; behind one character where none
    does."""
    word = _WORD.match(line, start)
    return start + 1 if word is None else word.end()


class Texts:
    """The texts of a run, each taken apart when it is first asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        """Return a file's lines; none where its text is not known."""
        if file not in self._lines:
            text = self._texts.get(file)
            self._lines[file] = [] if text is None else split_lines(text)
        return self._lines[file]


def span_of(finding: Finding, lines: list[str]) -> TextSpan | None:
    """Return a finding's span; None where the text has no such line.

    Of a finding at a place the word there is marked. A block of text ends at the start of the line behind it: its last line with words is meant.
    """
    line = finding.line - 1
    if not 0 <= line < len(lines):
        return None
    start = min(max(finding.column - 1, 0), len(lines[line]))
    last, end = max(finding.end_line - 1, line), finding.end_column - 1
    if last >= len(lines):
        last = len(lines) - 1
        end = len(lines[last])
    while last > line and not lines[last][: max(end, 0)].strip():
        last -= 1
        end = len(lines[last].rstrip())
    end = min(end, len(lines[last]))
    if last == line and end <= start:
        end = word_end(lines[line], start)
    return TextSpan(line, start, last, end)


def first_line(span: TextSpan, lines: list[str]) -> TextSpan:
    """Return the part of a span that lies on its first line."""
    if span.last == span.line:
        return span
    end = len(lines[span.line].rstrip())
    return TextSpan(span.line, span.start, span.line, max(end, span.start + 1))
