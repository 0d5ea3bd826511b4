"""Text in columns of a terminal: what a character takes, and a line cut to a window.

Wide characters (CJK, most emoji) take two columns, combining marks none, a tab four. What would
steer a terminal or hides in it, direction marks and zero-width characters too, is shown escaped.
"""

from collections.abc import Iterable, Sequence

import msgspec

from gpuspec.escaping.characters import escapes

TAB = "    "
CUT = "…"
REACH = 400
"""Characters before and behind a place, more than any window shows: a line may be a megabyte."""

Cell = tuple[str, int]
"""What is shown for one character, and the columns that it takes."""


def cells(text: str) -> list[Cell]:
    """Return a line as cells, one for each character."""
    escaped = escapes(text)
    if text.isascii() and not escaped:
        return [(char, 1) for char in text]
    return [_cell(char, escaped.get(number)) for number, char in enumerate(text)]


def columns(text: str) -> int:
    """Return how many columns a text takes."""
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
    """The columns of long lines that are shown: so many, from the left one on."""

    left: int
    room: int

    def show(self, line: Sequence[Cell]) -> str:
        """Return the part of a line in the window, with a mark where it goes on."""
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
        """Return where in the window a column of the line is; at its edge where it is outside."""
        return min(max(column - self.left, 0), self.room)


def total(line: Iterable[Cell]) -> int:
    """Return columns of a whole line."""
    return sum(width for _, width in line)


def window(line: Sequence[Cell], start: int, end: int, room: int) -> Window:
    """Return the window on a line that shows the columns from `start` to `end`, or the first of
    them."""
    whole = total(line)
    if whole <= room or end < room:
        return Window(0, room)
    wanted = min(end - start, room - 2)
    left = min(start - (room - wanted) // 2, whole - room)
    return Window(max(left, 0), room)
