"""The width of text on a terminal, and lines cut to a window.

Wide characters (CJK, most emoji) take two columns, combining marks none, a tab four. Control
characters, direction marks and zero-width characters are escaped.
"""

from collections.abc import Iterable, Sequence

import msgspec

from gpuspec.escaping.characters import escapes

TAB = "    "
CUT = "…"
REACH = 400
"""Characters before and after a place, more than any window shows: a line may have a megabyte."""

Cell = tuple[str, int]
"""The text shown for one character, and its width in columns."""


def cells(text: str) -> list[Cell]:
    """Return a line as cells, one for each character."""
    escaped = escapes(text)
    if text.isascii() and not escaped:
        return [(char, 1) for char in text]
    return [_cell(char, escaped.get(number)) for number, char in enumerate(text)]


def columns(text: str) -> int:
    """Return the width of a text in columns."""
    return len(text) if text.isascii() and not escapes(text) else total(cells(text))


def _cell(char: str, escaped: str | None) -> Cell:
    if char == "\t":
        return TAB, len(TAB)
    if escaped is not None:
        return escaped, len(escaped)
    if char.isascii():
        return char, 1
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me"):
        return char, 0
    return char, 2 if east_asian_width(char) in "WF" else 1


def reach(line: str, base: int) -> str:
    """Return the part of a line, from `base` on, that a window can show."""
    return line[base : base + 2 * REACH]


class Window(msgspec.Struct, frozen=True):
    """The visible columns of long lines: their number, and the first one."""

    left: int
    room: int

    def show(self, line: Sequence[Cell]) -> str:
        """Return the visible part of a line, with a mark where the line continues."""
        first = self.left + bool(self.left)
        if self.left and not total(line) > self.left:
            return ""
        end = self.left + self.room
        if total(line) > end:
            end -= 1
        shown = CUT if self.left else ""
        at = 0
        for text, width in line:
            start, at = at, at + width
            if at > end:
                # What does not fit as a whole leaves a gap, or the columns would be wrong.
                return shown + " " * (end - start) + CUT
            if start >= first:
                shown += text
            elif at > first:
                shown += " " * (at - first)
        return shown

    def column(self, column: int) -> int:
        """Return the position in the window of a line's column; the window's edge for a column
        outside."""
        return min(max(column - self.left, 0), self.room)


def total(line: Iterable[Cell]) -> int:
    """Return the width of a whole line."""
    return sum(width for _, width in line)


def window(line: Sequence[Cell], start: int, end: int, room: int) -> Window:
    """Return a window on a line with the columns from `start` to `end`, or with the first of
    them."""
    whole = total(line)
    if whole <= room or end < room:
        return Window(0, room)
    content = min(end - start, room - 2)
    first = min(start - (room - content) // 2, whole - room)
    return Window(max(first, 0), room)
