"""Folders that are written to, and what is in them."""

from pathlib import Path

import pytest

from gpuspec import InputError
from gpuspec.render.folder import write_folder

A, B = {"a.yaml": "a: 1\n"}, {"b.yaml": "b: 1\n"}


def content(folder: Path) -> dict[str, str]:
    """All files below a folder but the record."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".gpuspec-record"
    }


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(folder: Path, files: dict[str, str], inputs: list[str] | None = None) -> str:
    before = content(folder) if folder.is_dir() else None
    with pytest.raises(InputError) as caught:
        write_folder(folder, files, inputs or ["x"])
    assert (content(folder) if folder.is_dir() else None) == before
    return str(caught.value)
