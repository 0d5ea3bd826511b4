"""What codes mean: the codes that rules have, and those that they had.

A code that somebody once wrote, into a comment, a configuration or a baseline, holds for ever.
"""

from typing import NamedTuple


class Former(NamedTuple):
    """A rule that became part of another."""

    name: str
    """What it was called."""
    into: str
    """The code of the rule that says it now."""


FORMER: dict[str, Former] = {}
"""By the code that it had, and that no rule is given again."""


def current(code: str) -> str:
    """Return the code under which a rule is known now; a word that is no former code, as it is."""
    former = FORMER.get(code)
    return code if former is None else former.into


def means(beginning: str, code: str) -> bool:
    """Return whether a code, or the beginning of codes, means a rule: by its code, or by one that
    it had."""
    return code.startswith(beginning) or any(
        old.startswith(beginning) for old, former in FORMER.items() if former.into == code
    )
