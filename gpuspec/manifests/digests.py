"""Digests of bytes."""

from gpuspec.startup.sha import sha256 as new


def sha256(*parts: bytes) -> str:
    """Return the SHA-256 of concatenated bytes as hexadecimal digits."""
    digest = new()
    for part in parts:
        digest.update(part)
    return str(digest.hexdigest())
