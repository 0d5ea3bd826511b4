"""Texts in files, and what the linter says of them: where, and in its notes."""

from pathlib import Path

import gpuspec


def write(file: Path, text: str) -> str:
    """Write a text into a file, whose folders are made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return str(file)


def places(*paths: str) -> list[tuple[str, int, int]]:
    """Lint paths, and say where one rule finds something."""
    found = gpuspec.lint(*paths, select=["GPU102"]).findings
    return [(one.file, one.line, one.column) for one in found if one.rule == "GPU102"]


def notes(*paths: str) -> dict[str, str]:
    """Lint paths, and give the note on each file."""
    return {note.file: note.text for note in gpuspec.lint(*paths, select=["GPU102"]).notes}


def told(*paths: str) -> list[str]:
    """Lint paths, and give all notes."""
    return [str(note) for note in gpuspec.lint(*paths).notes]
