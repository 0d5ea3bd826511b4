"""Reading of files and folders. Every failure is an `InputError`."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO

from gpuspec.manifests.limits import MAX_BYTES, MAX_DUMP, MAX_FOLDERS
from gpuspec.manifests.problems import InputError, Place, Problem
from gpuspec.manifests.sources import too_large

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")
_STEP = 1024 * 1024
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


_BOUNDARY: ContextVar[tuple[str, str] | None] = ContextVar("boundary", default=None)
"""The folder outside which nothing is read, with links resolved, and its name in messages."""


@contextmanager
def confined(root: str, name: str) -> Iterator[None]:
    """Read nothing outside a folder, even through links, for hosts that read files of others."""
    before = _BOUNDARY.set((os.path.realpath(root), name))
    try:
        yield
    finally:
        _BOUNDARY.reset(before)


def boundary() -> str | None:
    """Return the folder outside which nothing is read; None if there is no limit."""
    set_ = _BOUNDARY.get()
    return None if set_ is None else set_[0]


def is_folder(path: str) -> bool:
    """Return whether a path is a folder; standard input is not."""
    # Path would take an empty name for the folder at hand.
    return path != STDIN and os.path.isdir(path)


def _nothing(path: str, folder: bool) -> bool:
    return False


def files(folder: str, leaves_out: Callable[[str, bool], bool] = _nothing) -> list[str]:
    """Return the YAML and JSON files below a folder, sorted; hidden files and folders are skipped.

    `leaves_out` is called with each path and whether it is a folder; excluded folders are not
    entered. Raises `InputError` for a folder that cannot be listed, and for folders that are too
    deep.
    """
    return sorted(_files(folder, leaves_out))


def _files(folder: str, leaves_out: Callable[[str, bool], bool]) -> Iterator[str]:
    waiting = [(folder, 0)]
    while waiting:
        path, depth = waiting.pop()
        if depth > MAX_FOLDERS:
            message = f"{folder}: folders are nested more than {MAX_FOLDERS:,} deep"
            raise InputError([Problem(message, hint="name the folders that hold manifests")])
        try:
            entries = list(os.scandir(path))
        except OSError as error:
            raise InputError([Problem(f"{path}: {error.strerror}")]) from None
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if not leaves_out(entry.path, True):
                    waiting.append((entry.path, depth + 1))
            elif (
                entry.name.endswith(ENDINGS)
                and not leaves_out(entry.path, False)
                and _is_file(entry)
            ):
                yield entry.path


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Return whether it is a file, or a link to one. Raises `InputError` for a broken link, because
    the intended file would be missing."""
    try:
        if entry.is_file():
            return True
        if entry.is_symlink():
            os.stat(entry.path)
    except OSError as error:  # in a circle, or to what is not there
        message = f"{entry.path}: a broken link ({error.strerror})"
        raise InputError(
            [Problem(message, hint="restore its target, or remove the link")]
        ) from None
    return False


def content(path: str, json: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file or of standard input.

    At most one byte more than the limit is read, which is enough to reject a file that is too large
    or endless. `json` is the limit for JSON objects. Raises `InputError` when it cannot be read.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise InputError([Problem("-: standard input is closed")])
        return _read(sys.stdin.buffer, json)
    try:
        _check_boundary(path)
        # Who reads what others wrote waits for no pipe of theirs.
        with open(path, "rb", opener=_BOUNDARY.get() and _plain) as file:
            return _read(file, json)
    except FileNotFoundError:
        raise InputError([Problem(f"{path}: no such file or folder")]) from None
    except OSError as error:
        raise InputError([Problem(f"{path}: {error.strerror}")]) from None
    except ValueError as error:
        # A name that no file can have.
        raise InputError([Problem(f"{path!r}: {error}")]) from None


def dump_of(live: str | BinaryIO) -> tuple[str, bytes]:
    """Return the name of a cluster's dump and its bytes; the dump is a path, `-`, or an open file.

    Raises `InputError` when it cannot be read.
    """
    if isinstance(live, str):
        return "<stdin>" if live == STDIN else live, content(live, MAX_DUMP)
    return str(getattr(live, "name", "<dump>")), _read(live, MAX_DUMP)


def _check_boundary(path: str) -> None:
    """Raise `InputError` for a path outside the folder to which reading is confined."""
    if (confined_to := _BOUNDARY.get()) is None:
        return
    root, name = confined_to
    if os.path.commonpath([os.path.realpath(path), root]) != root:
        message = f"{path}: the path leads out of {name}"
        raise InputError([Problem(message, hint="replace the link with the file itself")])


def _read(file: BinaryIO, json: int) -> bytes:
    """Return the bytes of a file, in chunks, because one read with the limit as its size would
    allocate that much memory."""
    chunk = file.read(_STEP)
    if len(chunk) < _STEP:
        return chunk
    most = (json if chunk.lstrip()[:1] == b"{" else MAX_BYTES) + 1
    whole = io.BytesIO()
    while chunk:
        whole.write(chunk)
        chunk = file.read(min(_STEP, most - whole.tell()))
    return whole.getvalue()


def plain_content(path: str, most: int) -> bytes:
    """Return the bytes of a regular file, because a pipe may block and a device may be endless.

    Raises `InputError` for anything else, for an unreadable file, and for more bytes than `most`.
    """
    try:
        with open(path, "rb", opener=_plain) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError([Problem(f"{error.strerror}", Place(path, 1, 1))]) from None
    if len(data) > most:
        raise InputError([too_large(path, most)])
    return data


def _plain(path: str, flags: int) -> int:
    """Open a regular file without blocking on a pipe.

    Raises `InputError` for anything else.
    """
    opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode):
        return opened
    os.close(opened)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    file_type = next((name for is_one, name in _SPECIAL if is_one(mode)), "a special file")
    raise InputError([Problem(f"{file_type}, not a file", Place(path, 1, 1))])


def loose_text(path: str) -> str:
    """Return the text of a file or of standard input, even if it is not UTF-8, up to the size
    limit.

    Raises `InputError` when it cannot be read.
    """
    data = content(path)
    if len(data) > MAX_BYTES:
        raise InputError([too_large(path)])
    return data.decode(errors="replace")
