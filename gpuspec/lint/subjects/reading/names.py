"""Names that come near each other: one with a prefix, one with a letter wrong."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MANY = 500
"""Above this many names only prefixes and endings are compared: the rest takes too long."""


def near(name: str, others: Iterable[str]) -> str | None:
    """The other name that is most likely meant, or None.

    A name with a prefix or an ending (`dev-chat` for `chat`) comes before one that is spelled
    alike; of several such names none is meant.
    """
    rest = [other for other in others if other and other != name]
    fixed = [other for other in rest if _contains(other, name) or _contains(name, other)]
    if fixed:
        return fixed[0] if len(fixed) == 1 else None
    if len(rest) > MANY:
        return None
    close = get_close_matches(name, rest, n=1, cutoff=0.85)
    return close[0] if close else None


def _contains(longer: str, shorter: str) -> bool:
    """Whether one is the other with a prefix or an ending of its own."""
    if len(shorter) < 3 or len(longer) <= len(shorter):
        return False
    return longer.endswith(f"-{shorter}") or longer.startswith(f"{shorter}-")
