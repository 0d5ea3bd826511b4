"""SHA-256 from the interpreter's own module; `hashlib` would load OpenSSL for the same result."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256

__all__ = ["sha256"]
