"""A fix as a small diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.report.columns import CUT, REACH, Window, cells, columns, reach, window
from gpuspec.report.ink import DIM, GREEN, RED, paint
from gpuspec.report.lint.lines import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gpuspec.lint.model import Edit
    from gpuspec.report.lint.excerpt import Ink


class Hunk(msgspec.Struct, frozen=True):
    """Removed lines, and the lines that replace them."""

    line: int
    """Index of the first line, from 0."""
    old: list[str]
    new: list[str]


def hunks(lines: list[str], edits: Iterable[Edit]) -> list[Hunk]:
    """Return a fix as changed lines. Its edits are in order and do not overlap."""
    changed: list[Hunk] = []
    for group in _groups(edits):
        first = min(group[0].line - 1, len(lines))
        old = lines[first : group[-1].end_line]
        new = split_lines(_edited(old, first, group))
        if group[-1].end_line > len(lines) and new[-1] == "":
            # What is put behind the last line is no line of the text yet.
            new.pop()
        same = _alike(old, new)
        end = _alike(old[same:][::-1], new[same:][::-1])
        changed.append(Hunk(first + same, old[same : len(old) - end], new[same : len(new) - end]))
    return [hunk for hunk in changed if hunk.old or hunk.new]


def patch(lines: list[str], edits: Iterable[Edit], size: int, ink: Ink) -> list[str]:
    """Return a fix's hunks, each below its preceding line."""
    room = ink.width - size - 3
    patch_lines: list[str] = []
    moved = 0
    for hunk in hunks(lines, edits):
        if patch_lines:
            patch_lines.append(paint(f"{CUT:>{size}}", DIM, on=ink.on))
        base, view = _view(hunk, room)
        above = reach(lines[hunk.line - 1], base) if hunk.line else ""
        if above.strip():
            patch_lines.append(ink.row(ink.gutter(str(hunk.line), size), view.show(cells(above))))
        for sign, style, side, first in (
            ("-", RED, hunk.old, hunk.line),
            ("+", GREEN, hunk.new, hunk.line + moved),
        ):
            for number, line in enumerate(side, first + 1):
                text = ink.row(f"{number:>{size}} {sign}", view.show(cells(reach(line, base))))
                patch_lines.append(paint(text, style, on=ink.on))
        moved += len(hunk.new) - len(hunk.old)
    return patch_lines


def _groups(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Yield edits whose lines touch."""
    group: list[Edit] = []
    for edit in edits:
        if group and edit.line > group[-1].end_line + 1:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _edited(old: list[str], first: int, edits: list[Edit]) -> str:
    text = "\n".join(old)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        index = min(max(line - 1 - first, 0), len(starts) - 1)
        return min(starts[index] + column - 1, len(text))

    edited = ""
    at = 0
    for edit in edits:
        start = max(offset(edit.line, edit.column), at)
        # A text that is put behind the last line, which may have no end.
        behind = edit.line - 1 - first >= len(old) > 0 and not text.endswith("\n")
        edited += text[at:start] + ("\n" if behind else "") + edit.text
        at = max(offset(edit.end_line, edit.end_column), start)
    return edited + text[at:]


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of equal lines, or characters, at the start."""
    # By halves: comparing slices is quick, and a line may be a megabyte.
    least, most = 0, min(len(old), len(new))
    while least < most:
        middle = (least + most + 1) // 2
        if old[least:middle] == new[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _view(hunk: Hunk, room: int) -> tuple[int, Window]:
    """Return the first visible character of each line, and the window on the change."""
    old, new = (hunk.old or [""])[0], (hunk.new or [""])[0]
    if not (hunk.old and hunk.new):
        return 0, window(cells(reach(old or new, 0)), 0, 0, room)
    same = _alike(old, new)
    end = len(old) - _alike(old[same:][::-1], new[same:][::-1])
    base = max(same - REACH, 0)
    start = columns(old[base:same])
    stop = columns(old[base : min(end, base + 2 * REACH)])
    return base, window(cells(reach(old, base)), start, max(stop, start + 1), room)
