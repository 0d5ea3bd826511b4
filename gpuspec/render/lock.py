"""One writer at a time in a folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Lock a folder against other runs of gpuspec, which wait. A missing folder is created.

    The lock is on the folder itself, so nothing is left behind. Yields whether there is a lock;
    some network file systems have none. Raises `OSError` for a folder that cannot be created or
    opened.
    """
    import fcntl

    handle = None
    while handle is None:
        _make(folder)
        # Who had the lock before may have removed a folder that stayed empty.
        with suppress(FileNotFoundError):
            handle = _open(folder)
            is_held = _lock(handle, fcntl.LOCK_EX)
            if not _is(handle, folder):
                os.close(handle)
                handle = None
    try:
        yield is_held
    finally:
        os.close(handle)


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Lock a folder against runs that write, if it exists."""
    import fcntl

    try:
        handle = _open(folder)
    except OSError:
        yield
        return
    try:
        _lock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _make(folder: Path) -> None:
    """Create a folder and its parents. `parents=True` is not used, because it recurses for each of
    them."""
    for path in reversed([parent for parent in (folder, *folder.parents) if not parent.exists()]):
        path.mkdir(exist_ok=True)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def _lock(handle: int, kind: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, kind)
    except OSError:
        return False
    return True


def _is(handle: int, folder: Path) -> bool:
    """Return whether a folder is still the opened one."""
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except FileNotFoundError:
        return False
