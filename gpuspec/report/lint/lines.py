"""The source lines of findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.lint.model import Finding


_WORD = re.compile(r"[^\s,{}\[\]]*[^\s,{}\[\]:]")


class TextSpan(msgspec.Struct, frozen=True):
    """The span of a finding, clipped to its text. Lines and columns count from 0."""

    line: int
    start: int
    last: int
    """The span's last line."""
    end: int
    """The column after its last character in the last line. On a single line it is greater than
    `start`."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, in the style of Unix, Windows or old Macs."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def word_end(line: str, start: int) -> int:
    """Return the end of the word at a place of a line; the next column if there is no word."""
    word = _WORD.match(line, start)
    return start + 1 if word is None else word.end()


class Texts:
    """The texts of a run, each split into lines on first use."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lines: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        """Return a file's lines; none if its text is unknown."""
        if file not in self._lines:
            text = self._texts.get(file)
            self._lines[file] = [] if text is None else split_lines(text)
        return self._lines[file]


def span_of(finding: Finding, lines: list[str]) -> TextSpan | None:
    """Return a finding's span; None if the text has no such line.

    For a finding at a single place, the word there is marked. A block of text that ends at the
    start of a line ends at its last non-empty line instead.
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
    """Return the part of a span in its first line."""
    if span.last == span.line:
        return span
    end = len(lines[span.line].rstrip())
    return TextSpan(span.line, span.start, span.line, max(end, span.start + 1))
