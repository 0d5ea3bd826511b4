"""Digests, from the interpreter's own module: `hashlib` loads OpenSSL before it gives the same."""

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256 as _sha256


def sha256(*parts: bytes) -> str:
    """The SHA-256 of some bytes, one after the other, in hexadecimal digits."""
    made = _sha256()
    for part in parts:
        made.update(part)
    return str(made.hexdigest())
