"""Lines and offsets of a text."""

from __future__ import annotations

import bisect
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.manifests.graph import Position

# What libyaml, which counts the lines of a graph, takes for a line's end.
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_SPACE = re.compile(r"(?:[ \t\r\n]|(?:(?<=[ \t\r\n])|^)#[^\r\n]*)*", re.MULTILINE)


class DocumentText:
    """The text of one document. Offsets are in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._breaks = [0, *(match.end() for match in _BREAK.finditer(text))]

    @cached_property
    def newline(self) -> str:
        """The document's line ending."""
        match = _BREAK.search(self.text)
        return match[0] if match and match[0] in ("\r\n", "\r") else "\n"

    def position(self, offset: int) -> Position:
        """Return line and column of an offset, as in a node graph."""
        line = bisect.bisect_right(self._breaks, offset) - 1
        return line, offset - self._breaks[line]

    def offset(self, position: Position) -> int:
        """Return the offset of a line and column, as in a node graph."""
        line, column = position
        return min(self._breaks[min(line, len(self._breaks) - 1)] + column, len(self.text))

    def column(self, offset: int) -> int:
        """Return the number of characters before an offset on its line."""
        return offset - self.line_start(offset)

    def lead(self, offset: int) -> int:
        """Return the leading blanks of an offset's line."""
        start = self.line_start(offset)
        line = self.text[start : self.line_end(start)]
        return len(line) - len(line.lstrip(" "))

    def line_start(self, offset: int) -> int:
        """Return where the line of an offset begins."""
        return max(self.text.rfind("\n", 0, offset), self._lone_return(offset)) + 1

    def line_end(self, offset: int) -> int:
        """Return where the line of an offset ends, before its line break."""
        end = self.text.find(self.newline[-1], offset)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text.startswith("\r\n", end - 1) and end else end

    def next_line(self, offset: int) -> int:
        """Return the start of the line after that of an offset, or the end of the text."""
        end = self.line_end(offset)
        match = _BREAK.match(self.text, end)
        return match.end() if match else end

    def is_first(self, offset: int) -> bool:
        """Return whether only blanks precede an offset on its line."""
        return not self.text[self.line_start(offset) : offset].strip(" ")

    def is_last(self, offset: int) -> bool:
        """Return whether nothing, or only a comment, follows an offset on its line."""
        rest = self.text[offset : self.line_end(offset)].lstrip(" \t")
        return not rest or rest.startswith("#")

    def skip(self, offset: int) -> int:
        """Return the offset of the next character that is neither blank nor in a comment."""
        match = _SPACE.match(self.text, offset)
        return match.end() if match else offset

    def text_pad(self, pad: int) -> int | None:
        """Return the indentation for a block scalar; None if there must be none: at the end of a
        document without a final line break, its own would be lost."""
        return pad if self.text.endswith(("\n", "\r")) else None

    def _lone_return(self, offset: int) -> int:
        return self.text.rfind("\r", 0, offset) if self.newline == "\r" else -1
