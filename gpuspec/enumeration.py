"""Several words as one phrase."""

from collections.abc import Iterable


def listed(words: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
