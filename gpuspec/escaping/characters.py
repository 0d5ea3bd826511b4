"""Characters that do not show, and words that a log obeys: what they are, and what stands for them."""

import functools
import re


def shows(text: str) -> bool:
    """Return whether all of a text can be seen as it is, on one line."""
    # isprintable() changes beyond ASCII between versions of Python.
    return text.isprintable() if text.isascii() else hidden().search(text) is None


def visible(text: str) -> str:
    """Return the text on one line, an escape in the place of all that does not show or that a log
    obeys."""
    if "##" not in text and shows(text):
        return text
    return _unsafe().sub(lambda match: escape(match[0]), text)


def escapes(text: str) -> dict[int, str]:
    """Return what `visible` writes in the place of characters, by their indexes."""
    if "##" not in text and shows(text):
        return {}
    return {match.start(): escape(match[0]) for match in _unsafe().finditer(text)}


def escape(character: str) -> str:
    """Return `\\x1b`, `\\n`, `\\u202e`: what stands for a character, whatever it is."""
    escaped = character.encode("unicode_escape").decode()
    return f"\\x{ord(character):02x}" if escaped == character else escaped


COMMAND = r"#(?=#\w*\[)"
"""The first character of `##[group]`, `##vso[…]` or `##teamcity[…]`: Azure Pipelines and GitHub obey
such a word wherever in a line it stands."""

_SHOWN = (
    "\x20-\x7e\xa1-\xac\xae-\u061b\u061d-\u167f\u1681-\u180d\u180f-\u1fff\u2010-\u2027"
    "\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffef\ufffc\ufffd"
    "\U00010000-\U0001342f\U00013440-\U0001bc9f"
    "\U0001bca4-\U0001d172\U0001d17b-\U000dffff"
)


@functools.cache
def hidden() -> re.Pattern[str]:
    """Return what is written as an escape: controls, blanks but the space, line breaks, marks that
    do not show, marks that turn the direction of writing, and halves of surrogate pairs."""
    return re.compile(f"[^{_SHOWN}]")


@functools.cache
def hidden_in_lines() -> re.Pattern[str]:
    """Return the same for a text of several lines, whose ends are meant."""
    return re.compile(f"[^{_SHOWN}\n]")


@functools.cache
def _unsafe() -> re.Pattern[str]:
    return re.compile(f"[^{_SHOWN}]|{COMMAND}")
