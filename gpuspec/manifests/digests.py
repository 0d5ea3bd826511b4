"""Digests of bytes."""

from gpuspec.startup.sha import sha256 as new


def sha256(*parts: bytes) -> str:
    """Return the SHA-256 of some bytes, one after the other, in hexadecimal digits."""
    digest = new()
    for part in parts:
        digest.update(part)
    return str(digest.hexdigest())
