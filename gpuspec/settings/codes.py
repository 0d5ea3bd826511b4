"""Codes of rules, current and former.

A code in a comment, a configuration or a baseline stays valid for good.
"""

from typing import NamedTuple


class Former(NamedTuple):
    """A rule that became part of another."""

    name: str
    """Its former name."""
    into: str
    """The code of the rule that replaced it."""


FORMER: dict[str, Former] = {}
"""By the former code, which no other rule gets again."""


def current(code: str) -> str:
    """Return the current code of a former one; any other word is returned unchanged."""
    former = FORMER.get(code)
    return code if former is None else former.into


def means(beginning: str, code: str) -> bool:
    """Return whether a code, or the beginning of codes, matches a rule by its current or a former
    code.
    """
    return code.startswith(beginning) or any(
        old.startswith(beginning) for old, former in FORMER.items() if former.into == code
    )
