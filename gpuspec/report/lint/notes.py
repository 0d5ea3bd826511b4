"""Notes next to findings: skipped files, kinds that are not linted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.report.ink import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.loading.notes import LoadingNote

SINGLY = 3
"""The most files named for one note; with more, their number and common folder."""


def notes_text(notes: Iterable[LoadingNote], width: int | None = None) -> str:
    """Return a line for each note; one line for many files with the same note.

    Folded for a terminal of this width; not folded for None.
    """
    about: dict[str, list[LoadingNote]] = {}
    for note in notes:
        about.setdefault(note.text, []).append(note)
    lines: list[str] = []
    for text, same in about.items():
        files = [note.file for note in same if note.file]
        if len(files) <= SINGLY:
            lines += (visible(f"note: {note}") for note in same)
            continue
        mixed = len({file.startswith("/") for file in files}) > 1
        folder = "" if mixed else os.path.commonpath(files)
        below = f" below {folder}" if folder else ""
        lines.append(visible(f"note: {len(files)} files{below}: {text}"))
    return "".join(f"{part}\n" for line in lines for part in fold(line, width, "", "  "))
