"""The lines around a finding, with its span marked."""

from __future__ import annotations

import msgspec

from gpuspec.report.columns import CUT, REACH, Window, cells, reach, total, window
from gpuspec.report.ink import BOLD, DIM, paint
from gpuspec.report.lint.lines import TextSpan, first_line

HEAD = 2
"""The number of lines shown at the start of a long span; one is shown at its end."""


class Ink(msgspec.Struct, frozen=True):
    """The width of the terminal, whether it shows colour, and the style of the mark."""

    width: int
    on: bool
    style: str

    def gutter(self, number: str, size: int, mark: str = "|") -> str:
        """Return `14 |`, the start of a line."""
        return paint(f"{number:>{size}} {mark}", DIM, on=self.on)

    def mark(self, text: str) -> str:
        """Return the span's mark."""
        return paint(text, BOLD, self.style, on=self.on)

    def row(self, gutter: str, text: str) -> str:
        """Return a line after its gutter, without trailing spaces."""
        text = text.rstrip()
        return f"{gutter} {text}" if text else gutter


def excerpt(
    lines: list[str], span: TextSpan, size: int, ink: Ink, *, brief: bool = False
) -> list[str]:
    """Return the lines of a span and the one before it; `size` is the width of line numbers.

    `brief`: only the span's first line.
    """
    room = ink.width - size - 3
    if brief:
        return _single(lines, first_line(span, lines), size, room, ink)[-2:]
    empty = ink.gutter("", size)
    if span.last == span.line:
        return [empty, *_single(lines, span, size, room, ink)]
    return [empty, *_several(lines, span, size, room - 2, ink)]


def _single(lines: list[str], span: TextSpan, size: int, room: int, ink: Ink) -> list[str]:
    base = max(span.start - REACH, 0)
    line = cells(reach(lines[span.line], base))
    start, end = total(line[: span.start - base]), total(line[: span.end - base])
    # Behind a line's last character, and under one that takes no column, a mark takes one.
    end = max(end, start + 1)
    view = window(line, start, end, room)
    column, right = view.column(start), view.column(end)
    first_column = min(column, room - 1)
    excerpt_lines = _before(lines, span, base, size, view, ink)
    excerpt_lines.append(ink.row(ink.gutter(str(span.line + 1), size), view.show(line)))
    excerpt_lines.append(
        f"{ink.gutter('', size)} {' ' * first_column}{ink.mark('^' * max(right - first_column, 1))}".rstrip()
    )
    return excerpt_lines


def _several(lines: list[str], span: TextSpan, size: int, room: int, ink: Ink) -> list[str]:
    """Return lines with a bar next to them, from the start to the end of the span."""
    base = max(span.start - REACH, 0)
    first, last = (cells(reach(lines[number], base)) for number in (span.line, span.last))
    start, end = total(first[: span.start - base]), max(total(last[: max(span.end - base, 0)]), 1)
    view = window(first, start, start + 1, room)
    excerpt_lines = _before(lines, span, base, size, view, ink, margin="  ")
    # At the start of a line, an item's dash aside, a corner says it; elsewhere an arrow does.
    corner = not lines[span.line][: span.start].strip(" \t-")
    bar = ink.mark("|")
    head = f"{ink.mark('/') if corner else ' '} {view.show(first)}"
    excerpt_lines.append(ink.row(ink.gutter(str(span.line + 1), size), head))
    if not corner:
        column = min(view.column(start), room - 1)
        excerpt_lines.append(f"{ink.gutter('', size)}  {ink.mark('_' * (column + 1) + '^')}")
    shown = range(span.line + 1, span.last + 1)
    if len(shown) > HEAD + 1:
        shown = range(span.line + 1, span.line + HEAD)
    for number in shown:
        text = f"{bar} {view.show(cells(reach(lines[number], base)))}"
        excerpt_lines.append(ink.row(ink.gutter(str(number + 1), size), text))
    if shown.stop <= span.last:
        excerpt_lines.append(f"{ink.gutter(CUT, size)} {bar}")
        text = f"{bar} {view.show(last)}"
        excerpt_lines.append(ink.row(ink.gutter(str(span.last + 1), size), text))
    column = min(max(view.column(end), 1), room)
    excerpt_lines.append(f"{ink.gutter('', size)} {ink.mark('|' + '_' * column + '^')}")
    return excerpt_lines


def _before(
    lines: list[str], span: TextSpan, base: int, size: int, view: Window, ink: Ink, margin: str = ""
) -> list[str]:
    """Return the line above, unless it is empty: in YAML it often is the parent."""
    above = span.line - 1
    shown = view.show(cells(reach(lines[above], base))) if above >= 0 else ""
    if not shown.strip():
        return []
    return [ink.row(ink.gutter(str(above + 1), size), margin + shown)]
