"""What is in a file of a folder, as far as it can be one that gpuspec wrote."""

import os
import stat
from hashlib import sha256

from gpuspec.manifests.limits import MAX_BYTES

STRANGE = "no file"
"""Stands for the digest of a link, a folder, a device: nothing that gpuspec writes."""


class StrangeError(Exception):
    """Where a file should be is something else."""


def regular(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file, of a larger one the first that are too many.

    Links are not followed, and nothing is waited for. Raises `StrangeError`, and `OSError`.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise StrangeError
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        return file.read(most + 1)


def digest(path: str) -> str | None:
    """Return the digest of a file's content; None where there is none. Raises `OSError`."""
    try:
        return digest_of(regular(path))
    except FileNotFoundError:
        return None
    except StrangeError:
        return STRANGE


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content, whose line ends may be those of another system: git changes
    them."""
    return sha256(content.replace(b"\r\n", b"\n")).hexdigest()
