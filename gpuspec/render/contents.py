"""The content of a file in an output folder, if gpuspec may have written it."""

import os
import stat
from hashlib import sha256

from gpuspec.manifests.limits import MAX_BYTES

STRANGE = "no file"
"""The digest of a link, a folder or a device, which gpuspec never writes."""


class StrangeError(Exception):
    """A path that is not a regular file."""


def regular(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file, at most one more than `most`.

    Links are not followed, and reading never blocks. Raises `StrangeError` and `OSError`.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise StrangeError
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        return file.read(most + 1)


def digest(path: str) -> str | None:
    """Return the digest of a file's content; None if there is no file. Raises `OSError`."""
    try:
        return digest_of(regular(path))
    except FileNotFoundError:
        return None
    except StrangeError:
        return STRANGE


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content with normalised line ends, because git may change them."""
    return sha256(content.replace(b"\r\n", b"\n")).hexdigest()
