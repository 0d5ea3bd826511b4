"""Where things are written in a document that was read line by line: its lines tell, without libyaml.

Only what lies beside a path is looked at. What the lines do not tell, such as what is inside of
``{...}``, is left to the graph.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from gpuspec.manifests.graph import Position
from gpuspec.manifests.line_blocks import HEADER
from gpuspec.manifests.line_scalars import KEY
from gpuspec.manifests.paths import Path
from gpuspec.manifests.scalars import resolve_key

_ENTRY = re.compile(rf"({KEY}):(?= |\Z)")
_DASH = "- "
_LITERAL = ("|", "|-")

# Where a text ends without a line break, and libyaml with it.
_UNKNOWN: Position = (-1, -1)

_resolved = lru_cache(maxsize=1024)(resolve_key)


class _Row(NamedTuple):
    """A line that holds something other than a comment or a block's text."""

    line: int
    indent: int
    text: str
    """Without its comment and the blanks at its end."""


class _Start(NamedTuple):
    """Where a value begins: its row's number, and the column in it."""

    row: int
    column: int


class _Block(NamedTuple):
    """A mapping or list in block style: its entries' keys or dashes, and its last row."""

    children: dict[str | int, _Start]
    last: int


class LinePositions:
    """The positions of one document, each worked out when it is asked for."""

    def __init__(self, text: str) -> None:
        """`text` is one that `LineReader` has read."""
        self._ends: dict[int, Position] = {}
        """By the line that each block of text is announced in."""
        self._rows = list(_rows(text, self._ends))
        self._blocks: dict[_Start, _Block] = {}

    def span(self, path: Path, *, key: bool) -> tuple[Position, Position] | None:
        """Begin and end of the value at a path, or of its key, as `find` has it; None where the
        lines do not tell."""
        if not self._rows:
            return None
        start = _Start(0, self._rows[0].indent)
        is_block = True
        own: tuple[Position, Position] | None = None
        for step in path:
            if not is_block:
                if self._rows[start.row].text[start.column : start.column + 1] in ("{", "["):
                    return None
                break
            child = self._block(start).children.get(step)
            if child is None:
                break
            row = self._rows[child.row]
            if isinstance(step, int):
                start, is_block = self._item(child)
                own = None
            else:
                colon = row.text.index(":", child.column)
                own = (row.line, child.column), (row.line, colon)
                start, is_block = self._value(child, colon + 1)
        if key and own is not None:
            return own
        return self._whole(start, is_block=is_block)

    def _whole(self, start: _Start, *, is_block: bool) -> tuple[Position, Position] | None:
        """Begin and end of a value; None where a block of text ends it and the document."""
        first = self._rows[start.row]
        last = self._rows[self._block(start).last] if is_block else first
        end = self._ends.get(last.line, (last.line, len(last.text)))
        return None if end == _UNKNOWN else ((first.line, start.column), end)

    def _value(self, child: _Start, behind: int) -> tuple[_Start, bool]:
        """Where the value of an entry begins, and whether it is a block."""
        text = self._rows[child.row].text
        if behind < len(text):
            return _Start(child.row, _word(text, behind)), False
        below = child.row + 1
        if below < len(self._rows):
            _, indent, text = self._rows[below]
            # A list may stand as far left as the key that it belongs to.
            if indent > child.column or (indent == child.column and text.startswith(_DASH, indent)):
                return _Start(below, indent), True
        return _Start(child.row, behind), False

    def _item(self, child: _Start) -> tuple[_Start, bool]:
        """Where an item begins, and whether it is a block."""
        text = self._rows[child.row].text
        start = _Start(child.row, _word(text, child.column + 1))
        return start, _ENTRY.match(text, start.column) is not None

    def _block(self, start: _Start) -> _Block:
        """What a block holds."""
        found = self._blocks.get(start)
        if found is None:
            found = self._blocks[start] = self._read(start)
        return found

    def _read(self, start: _Start) -> _Block:
        rows, (at, column) = self._rows, start
        is_list = rows[at].text.startswith(_DASH, column)
        children: dict[str | int, _Start] = {}
        while True:
            _, indent, text = rows[at]
            if at == start.row or indent == column:
                if text.startswith(_DASH, column):
                    # Of another list than this one: that of the key before.
                    if is_list:
                        children[len(children)] = _Start(at, column)
                elif is_list:
                    break
                elif entry := _ENTRY.match(text, column):
                    children[_resolved(entry[1])] = _Start(at, column)
            at += 1
            if at == len(rows) or rows[at].indent < column:
                break
        return _Block(children, at - 1)


def _rows(text: str, ends: dict[int, Position]) -> Iterator[_Row]:
    """The rows of a text; `ends` takes where each block of text ends, as libyaml has it."""
    # The column of the collection that the block of text at hand is a value of.
    outer: int | None = None
    begun = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        bare = line.lstrip(" ")
        if not bare:
            continue
        indent = len(line) - len(bare)
        if outer is not None:
            if indent > outer:
                continue
            outer = None
            ends[begun] = number, 0
        if bare[0] == "#":
            continue
        comment = line.find(" #") if "#" in bare else -1
        if line.endswith(_LITERAL) and (header := HEADER.fullmatch(line)):
            _, dash, key, _ = header.groups()
            begun = number
            outer = indent + (len(dash) if dash and key else 0)
        yield _Row(number, indent, (line if comment < 0 else line[:comment]).rstrip(" "))
    if outer is not None:
        ends[begun] = _UNKNOWN if lines[-1] else (len(lines) - 1, 0)


def _word(text: str, start: int) -> int:
    """Where the first word behind a column begins."""
    return len(text) - len(text[start:].lstrip(" "))
