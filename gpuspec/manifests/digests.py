"""Digests of bytes."""

import hashlib


def sha256(*parts: bytes) -> str:
    """The SHA-256 of some bytes, one after the other, in hexadecimal digits."""
    made = hashlib.sha256()
    for part in parts:
        made.update(part)
    return made.hexdigest()
