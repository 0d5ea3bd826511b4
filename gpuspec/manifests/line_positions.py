"""Positions in a document that was read line by line, computed from its lines without libyaml.

Only the surroundings of a path are read. Inside ``{...}``, the node graph of that line is used; if
the lines are not enough, that of the whole document.
"""

import re
from functools import lru_cache

from gpuspec.manifests.construct import find
from gpuspec.manifests.graph import Position, compose
from gpuspec.manifests.line_blocks import HEADER
from gpuspec.manifests.line_scalars import KEY
from gpuspec.manifests.paths import Path
from gpuspec.manifests.scalars import resolve_key
from gpuspec.manifests.sources import Chunk, SourceFile

_ENTRY = re.compile(rf"({KEY}):(?= |\Z)")
_FLOW = ("{", "[")

# Where a text ends without a line break, and libyaml with it.
_UNKNOWN: Position = (-1, -1)

_resolved = lru_cache(maxsize=1024)(resolve_key)


_Start = tuple[int, int]
"""The start of a value: row number and column."""
_Block = tuple[dict[str | int, _Start], int]
"""A mapping or list in block style: the keys or dashes of its entries, and its last row."""
_Span = tuple[Position, Position]


class LinePositions:
    """The positions in one document, each computed on request."""

    def __init__(self, text: str) -> None:
        """Take a `text` that `LineReader` has read."""
        self._lines: list[int] = []
        """The line number of each row, which is a line with more than a comment or a block scalar's
        text."""
        self._indents: list[int] = []
        self._texts: list[str] = []
        """The rows without comments and trailing blanks."""
        self._ends: dict[int, Position] = {}
        """The ends of block scalars, by their header line."""
        self._cut(text.split("\n"))
        self._blocks: dict[_Start, _Block] = {}

    def span(self, path: Path, *, key: bool) -> _Span | None:
        """Return start and end of the value at a path, or of its key, like `find`; None if the
        lines are not enough."""
        if not self._lines:
            return None
        start = (0, self._indents[0])
        is_block = True
        entry: _Span | None = None
        for depth, step in enumerate(path):
            if not is_block:
                row, column = start
                if self._texts[row].startswith(_FLOW, column):
                    inside = self._inside(row, column, path[depth:], key=key)
                    if inside is not None:
                        return inside
                break
            child = self._block(start)[0].get(step)
            if child is None:
                break
            row, column = child
            if isinstance(step, int):
                start, is_block = self._item(row, column)
                entry = None
            else:
                colon = self._texts[row].index(":", column)
                entry = (self._lines[row], column), (self._lines[row], colon)
                start, is_block = self._value(row, column, colon + 1)
        if key and entry is not None:
            return entry
        return self._whole(start, is_block=is_block)

    def _inside(self, row: int, column: int, path: Path, *, key: bool) -> _Span | None:
        """Begin and end of what a path leads to in a flow collection; None where that is itself."""
        text, line = self._texts[row][column:], self._lines[row]
        root, _ = compose(Chunk(SourceFile("", text), 0, len(text), 0))
        assert root is not None  # the line has been read
        *_, (key_node, value_node) = find(root, path)
        if value_node is root:
            return None
        node = key_node if key else value_node
        return (line, column + node.start[1]), (line, column + node.end[1])

    def _whole(self, start: _Start, *, is_block: bool) -> _Span | None:
        """Begin and end of a value; None where a block of text ends it and the document."""
        row, column = start
        last = self._block(start)[1] if is_block else row
        line = self._lines[last]
        end = self._ends.get(line, (line, len(self._texts[last])))
        return None if end == _UNKNOWN else ((self._lines[row], column), end)

    def _value(self, row: int, column: int, behind: int) -> tuple[_Start, bool]:
        """Return where the value of an entry begins, and whether it is a block."""
        text = self._texts[row]
        if behind < len(text):
            return (row, _word(text, behind)), False
        below = row + 1
        if below < len(self._lines):
            indent = self._indents[below]
            # A list may stand as far left as the key that it belongs to.
            if indent > column or (indent == column and _is_item(self._texts[below], indent)):
                return (below, indent), True
        return (row, behind), False

    def _item(self, row: int, column: int) -> tuple[_Start, bool]:
        """Return where an item begins, and whether it is a block."""
        text = self._texts[row]
        word = _word(text, column + 1)
        if word == len(text):
            # Behind the dash was a comment.
            below = row + 1
            if below < len(self._lines) and self._indents[below] > column:
                return (below, self._indents[below]), True
            return (row, column + 1), False
        return (row, word), _ENTRY.match(text, word) is not None

    def _block(self, start: _Start) -> _Block:
        """Return the entries of a block."""
        known_block = self._blocks.get(start)
        if known_block is None:
            first, column = start
            is_list = _is_item(self._texts[first], column)
            block = self._items if is_list else self._entries
            known_block = self._blocks[start] = block(first, column)
        return known_block

    def _items(self, first: int, column: int) -> _Block:
        children: dict[str | int, _Start] = {0: (first, column)}
        at = first
        for at in range(first + 1, len(self._lines)):
            indent = self._indents[at]
            if indent > column:
                continue
            # What else stands in its column is the key behind the one that it belongs to.
            if indent < column or not _is_item(self._texts[at], column):
                return children, at - 1
            children[len(children)] = at, column
        return children, at

    def _entries(self, first: int, column: int) -> _Block:
        children: dict[str | int, _Start] = {}
        at = first
        for at in range(first, len(self._lines)):
            indent = self._indents[at]
            # The first row may be an item's, whose dash stands further left.
            if indent != column and at > first:
                if indent > column:
                    continue
                return children, at - 1
            # What begins with a dash in its column is an item of the list of the key before.
            if entry := _ENTRY.match(self._texts[at], column):
                children[_resolved(entry[1])] = at, column
        return children, at

    def _cut(self, lines: list[str]) -> None:
        """Gather the rows from all lines."""
        # The column of the collection that the block of text at hand is a value of.
        outer: int | None = None
        begun = 0
        numbers, indents, texts = self._lines, self._indents, self._texts
        for number, line in enumerate(lines):
            bare = line.lstrip(" ")
            if not bare:
                continue
            indent = len(line) - len(bare)
            if outer is not None:
                if indent > outer:
                    continue
                outer = None
                # As libyaml has it.
                self._ends[begun] = number, 0
            if "#" in bare:
                if bare[0] == "#":
                    continue
                if (comment := line.find(" #")) >= 0:
                    line = line[:comment]
            elif "|" in bare and (header := HEADER.fullmatch(line)):
                _, dash, key, _ = header.groups()
                begun, outer = number, indent + (len(dash) if dash and key else 0)
            numbers.append(number)
            indents.append(indent)
            texts.append(line.rstrip(" ") if line[-1] == " " else line)
        if outer is not None:
            self._ends[begun] = _UNKNOWN if lines[-1] else (len(lines) - 1, 0)


def _is_item(text: str, column: int) -> bool:
    """Return whether an item of a list begins at a column."""
    return text.startswith("- ", column) or (len(text) == column + 1 and text[column] == "-")


def _word(text: str, start: int) -> int:
    """Return the start of the first word after a column."""
    return len(text) - len(text[start:].lstrip(" "))
