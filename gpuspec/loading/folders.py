"""The folders above a file, as far as its repository reaches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpuspec.manifests.files import boundary

if TYPE_CHECKING:
    from collections.abc import Iterator


def folder_of(path: str) -> str:
    """Return the absolute folder that a path is, or that it is in; for `-` the current one."""
    if path == "-":
        return os.getcwd()
    full = os.path.abspath(path)
    return full if os.path.isdir(full) else os.path.dirname(full)


def above(folder: str) -> Iterator[str]:
    """Yield a folder and its parents, up to the root of its repository, or of the file system."""
    end = boundary()
    while True:
        yield folder
        parent = os.path.dirname(folder)
        # A worktree's or submodule's `.git` is a file.
        if parent == folder or folder == end or os.path.exists(f"{folder}/.git"):
            return
        folder = parent
