"""Show the line of a problem, with a mark, on a terminal."""

from collections.abc import Callable
from typing import Protocol

from gpuspec.report.ink import RED
from gpuspec.report.lint.excerpt import Ink, excerpt
from gpuspec.report.lint.lines import TextSpan, split_lines, word_end

Source = Callable[[str], str | None]
"""Function that returns the text of a file; None if it cannot be shown."""


class PlaceLike(Protocol):
    """A position in a file. Line and column count from 1."""

    @property
    def file(self) -> str:
        """The path as the user gave it."""

    @property
    def line(self) -> int:
        """The line."""

    @property
    def column(self) -> int:
        """The column, in characters."""


def frame(place: PlaceLike, source: Source, width: int, color: bool) -> list[str]:
    """Return the line and the one above it, with the word at the place marked; empty if the text
    has no such line."""
    text = source(place.file)
    lines = [] if text is None else split_lines(text)
    number, start = place.line - 1, place.column - 1
    if not 0 <= number < len(lines) or not 0 <= start <= len(lines[number]):
        return []
    end = word_end(lines[number], start)
    size = len(str(place.line))
    return excerpt(lines, TextSpan(number, start, number, end), size, Ink(width, color, RED))[1:]
