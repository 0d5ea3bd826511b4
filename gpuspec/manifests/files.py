"""Files and folders that people name, and what is in them. Every failure is an `InputError`."""

import os
import sys
from collections.abc import Iterator

from gpuspec.manifests.problems import InputError, Problem
from gpuspec.manifests.sources import MAX_BYTES

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


def is_folder(path: str) -> bool:
    """Whether a path is a folder; standard input is none."""
    # Path would take an empty name for the folder at hand.
    return path != STDIN and os.path.isdir(path)  # noqa: PTH112


MAX_FOLDERS = 200
"""How deep folders may lie in each other. Repositories of charts in charts have about twenty."""


def files(folder: str) -> list[str]:
    """The YAML and JSON files below a folder, sorted; hidden files and folders are passed over.

    Raises `InputError` for a folder that cannot be listed, and for folders that are too deep.
    """
    return sorted(_files(folder))


def _files(folder: str) -> Iterator[str]:
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        if depth > MAX_FOLDERS:
            said = f"{folder}: folders lie more than {MAX_FOLDERS} deep in each other"
            raise InputError([Problem(said, hint="name the folders that hold manifests")])
        try:
            entries = list(os.scandir(here))
        except OSError as error:
            raise InputError([Problem(f"{here}: {error.strerror}")]) from None
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, depth + 1))
            elif entry.name.endswith(ENDINGS) and _is_file(entry):
                yield entry.path


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError as error:  # links that lead in a circle
        raise InputError([Problem(f"{entry.path}: {error.strerror}")]) from None


def content(path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a file or of standard input.

    One byte more than can be read (`most`) is enough to refuse it, and all there is of an endless
    file. Raises `InputError` when it cannot be read.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise InputError([Problem("-: standard input is closed")])
        return sys.stdin.buffer.read(most + 1)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(most + 1)
    except FileNotFoundError:
        raise InputError([Problem(f"{path}: no such file or folder")]) from None
    except OSError as error:
        raise InputError([Problem(f"{path}: {error.strerror}")]) from None
    except ValueError as error:
        # A name that no file can have.
        raise InputError([Problem(f"{path!r}: {error}")]) from None
