"""Atomic replacement of files."""

import errno
import os
import re
import stat
from contextlib import suppress
from typing import BinaryIO

from gpuspec.manifests.problems import InputError, Problem

PREFIX = ".gpuspec-"
RECORD = ".gpuspec-record"
"""The prefix of temporary files: hidden, and without an extension that is read."""

_LEFT = re.compile(rf"{re.escape(PREFIX)}[0-9a-f]{{12}}\.new")
# What a shell hands over as a file, be it one or not.
_HANDED = ("/dev/fd/", "/proc/")


def write_file(path: str, text: str) -> None:
    """Write a text to a file atomically.

    Raises `InputError` if that is impossible. Bytes of a file's name that are not UTF-8 are written
    as JSON and Python escape them.
    """
    try:
        replace(path, text.encode(errors="backslashreplace"))
    except OSError as error:
        raise InputError([Problem(f"{path}: {error.strerror}")]) from None


def replace(path: str, content: bytes) -> None:
    """Replace the content of a file, or create it, atomically.

    The mode stays, and so does the owner if the system allows it. A link stays: its target is
    replaced. FIFOs, devices and streams of this process are written to directly.

    Raises:
        OSError: it cannot be written; the old content is there.
    """
    try:
        status = _stat(path)
    except ValueError as error:
        # A name that no file can have.
        raise OSError(errno.EINVAL, str(error)) from None
    if status is not None:
        if stream := _stream(path, status):
            with stream:
                stream.write(content)
            return
        # Who may write into the folder may not want this file to be written.
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    _replace(os.path.realpath(path), content, status)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _stream(path: str, status: os.stat_result) -> BinaryIO | None:
    """Return a stream to write to directly; None for a file that can be replaced."""
    for ours in (1, 2):
        # Opened anew, a file that the shell has opened for us would lose what was printed to it.
        with suppress(OSError):
            if os.path.samestat(status, os.fstat(ours)):
                return open(ours, "wb", closefd=False)
    if stat.S_ISREG(status.st_mode) and not path.startswith(_HANDED):
        return None
    return open(path, "wb")


def create(
    path: str, content: bytes, old: os.stat_result | None = None, *, lasting: bool = False
) -> None:
    """Create a file with the attributes of the one that it will replace; a `lasting` one is synced
    to disk.

    Raises `OSError`, also if the file exists.
    """
    handle = _made(path, old)
    try:
        _fill(handle, content, old)
        if lasting:
            os.fsync(handle)
    finally:
        os.close(handle)


def _replace(target: str, content: bytes, old: os.stat_result | None) -> None:
    folder = os.path.dirname(target)
    _clear(folder)
    new = os.path.join(folder, f"{PREFIX}{os.urandom(6).hex()}.new")
    try:
        handle = _held(new, old)
    except OSError as error:
        if old is None or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        raise _as_a_whole(error) from None
    try:
        _fill(handle, content, old)
        # A power failure must not leave the new name without the new content.
        os.fsync(handle)
        try:
            os.replace(new, target)
        except OSError as error:
            raise _as_a_whole(error) from None
    except BaseException:
        os.unlink(new)
        raise
    finally:
        os.close(handle)


def _made(path: str, old: os.stat_result | None) -> int:
    """Create a new file that nobody else can read until it has the old one's attributes."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if old else 0o666)


def _held(path: str, old: os.stat_result | None) -> int:
    """Create a new file with a lock, which ends with this process."""
    import fcntl

    while True:
        handle = _made(path, old)
        # Where there are no locks, nothing is cleared either.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle
        # Another run has cleared it away before the lock was there.
        os.close(handle)


def _fill(handle: int, content: bytes, old: os.stat_result | None) -> None:
    with open(handle, "wb", closefd=False) as file:
        file.write(content)
    if old is not None:
        _keep(handle, old)


def _clear(folder: str) -> None:
    """Remove the temporary files that killed runs left in a folder."""
    import fcntl

    with suppress(OSError):
        for name in filter(_LEFT.fullmatch, os.listdir(folder)):
            path = os.path.join(folder, name)
            with suppress(OSError), open(path, "rb", opener=_at_once) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _keep(handle: int, old: os.stat_result) -> None:
    """Copy the old file's attributes to the new one. The group may be settable even if the owner is
    not."""
    for owner in (old.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(handle, owner, old.st_gid)
            break
    # After the owner, whose change takes special bits away.
    with suppress(PermissionError):
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _as_a_whole(error: OSError) -> OSError:
    """Convert the error for a folder in which no file can be created, such as for a mounted file
    that is writable itself."""
    message = (
        "files in its folder cannot be replaced, and gpuspec does not overwrite them in "
        f"place: {error.strerror}"
    )
    return OSError(error.errno, message)
