"""Text edits: composition of several rounds, and conversion to lines and columns."""

from __future__ import annotations

import bisect
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.model import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BOM = "\ufeff"


class TextEdit(msgspec.Struct, frozen=True):
    """An edit that replaces the text between two offsets."""

    start: int
    end: int
    text: str


def overlap(text_edits: Iterable[TextEdit]) -> bool:
    """Return whether any two edits overlap."""
    in_order = sorted(text_edits, key=lambda text_edit: (text_edit.start, text_edit.end))
    return any(following.start < edit.end for edit, following in pairwise(in_order))


def moved(text_edits: Iterable[TextEdit], distance: int) -> list[TextEdit]:
    """Return text edits, shifted by a number of characters."""
    return [
        TextEdit(text_edit.start + distance, text_edit.end + distance, text_edit.text)
        for text_edit in text_edits
    ]


def with_edits(text: str, text_edits: Iterable[TextEdit]) -> str:
    """Return the text after text edits that do not overlap; insertions at one offset are applied in
    the given order."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(text_edits, key=lambda text_edit: text_edit.start):
        pieces += text[at : edit.start], edit.text
        at = edit.end
    return "".join((*pieces, text[at:]))


class KeptText(msgspec.Struct, frozen=True):
    """A range of the original text that still exists."""

    start: int
    end: int


class EditedText:
    """A text after rounds of edits, which knows the ranges of the original text."""

    def __init__(self, text: str) -> None:
        self._first = text
        self._pieces: list[KeptText | str] = [KeptText(0, len(text))]

    @property
    def text(self) -> str:
        """The current text."""
        return "".join(self._written(piece) for piece in self._pieces)

    def apply(self, text_edits: Iterable[TextEdit]) -> None:
        """Apply edits of the current text. They must not overlap; insertions at one offset are
        applied in the given order."""
        for text_edit in sorted(text_edits, key=lambda edit: edit.start)[::-1]:
            before, rest = self._cut(self._pieces, text_edit.start)
            after = self._cut(rest, text_edit.end - text_edit.start)[1]
            self._pieces = [*before, text_edit.text, *after]

    def text_edits(self) -> list[TextEdit]:
        """Return one round of edits that converts the original text to the current one."""
        out: list[TextEdit] = []
        at, new = 0, ""
        for piece in [*self._pieces, KeptText(len(self._first), len(self._first))]:
            if isinstance(piece, str):
                new += piece
                continue
            if self._first[at : piece.start] != new:
                out.append(TextEdit(at, piece.start, new))
            at, new = piece.end, ""
        return out

    def _cut(
        self, pieces: list[KeptText | str], offset: int
    ) -> tuple[list[KeptText | str], list[KeptText | str]]:
        before: list[KeptText | str] = []
        for index, piece in enumerate(pieces):
            if offset == 0:
                return before, pieces[index:]
            size = len(self._written(piece))
            if offset < size:
                before_cut, right = _halves(piece, offset)
                return [*before, before_cut], [right, *pieces[index + 1 :]]
            offset -= size
            before.append(piece)
        return before, []

    def _written(self, piece: KeptText | str) -> str:
        return piece if isinstance(piece, str) else self._first[piece.start : piece.end]


def _halves(piece: KeptText | str, offset: int) -> tuple[KeptText | str, KeptText | str]:
    if isinstance(piece, str):
        return piece[:offset], piece[offset:]
    middle = piece.start + offset
    return KeptText(piece.start, middle), KeptText(middle, piece.end)


@lru_cache(maxsize=1)
def lines_of(text: str) -> Lines:
    """Return a text's lines, for callers that look up many positions."""
    return Lines(text)


class Lines:
    """Conversion between offsets of a file's text and lines and columns from 1.

    A byte order mark has no column. Lines end as in editors, including those of old Macs.
    """

    def __init__(self, text: str) -> None:
        first = 1 if text.startswith(_BOM) else 0
        self._starts = [first, *(match.end() for match in re.finditer("\r\n?|\n", text))]
        self._size = len(text)

    def edits(self, text_edits: Sequence[TextEdit], offset: int = 0) -> tuple[Edit, ...]:
        """Convert text edits of a chunk that begins at an offset to edits of the file."""
        return tuple(
            Edit(
                *self._place(offset + text_edit.start),
                *self._place(offset + text_edit.end),
                text_edit.text,
            )
            for text_edit in text_edits
        )

    def text_edits(self, edits: Iterable[Edit]) -> list[TextEdit]:
        """Convert edits to text edits. Raises `ValueError` for a position outside the text."""
        return [
            TextEdit(
                self._offset(edit.line, edit.column),
                self._offset(edit.end_line, edit.end_column),
                edit.text,
            )
            for edit in edits
        ]

    def _place(self, offset: int) -> tuple[int, int]:
        line = max(bisect.bisect_right(self._starts, offset) - 1, 0)
        return line + 1, offset - self._starts[line] + 1

    def _offset(self, line: int, column: int) -> int:
        if not 1 <= line <= len(self._starts):
            raise ValueError(f"the text has no line {line}")
        offset = self._starts[line - 1] + column - 1
        if column < 1 or offset > self._size:
            raise ValueError(f"line {line} has no column {column}")
        return offset
