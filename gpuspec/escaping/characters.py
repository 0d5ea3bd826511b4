"""Invisible characters and log commands, and their escapes."""

import functools
import re


def shows(text: str) -> bool:
    """Return whether a text is visible as it is, on one line."""
    # isprintable() changes beyond ASCII between versions of Python.
    return text.isprintable() if text.isascii() else hidden().search(text) is None


def visible(text: str) -> str:
    """Return the text on one line, with escapes for invisible characters and log commands."""
    if "##" not in text and shows(text):
        return text
    return _unsafe().sub(lambda match: escape(match[0]), text)


def escapes(text: str) -> dict[int, str]:
    """Return the escapes that `visible` writes, by the index of the character."""
    if "##" not in text and shows(text):
        return {}
    return {match.start(): escape(match[0]) for match in _unsafe().finditer(text)}


def escape(character: str) -> str:
    """Return the escape of any character: `\\x1b`, `\\n`, `\\u202e`."""
    escaped = character.encode("unicode_escape").decode()
    return f"\\x{ord(character):02x}" if escaped == character else escaped


COMMAND = r"#(?=#\w*\[)"
"""The first character of `##[group]`, `##vso[…]` or `##teamcity[…]`: Azure Pipelines and GitHub
execute such a command anywhere in a line."""

_SHOWN = (
    "\x20-\x7e\xa1-\xac\xae-\u061b\u061d-\u167f\u1681-\u180d\u180f-\u1fff\u2010-\u2027"
    "\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffef\ufffc\ufffd"
    "\U00010000-\U0001342f\U00013440-\U0001bc9f"
    "\U0001bca4-\U0001d172\U0001d17b-\U000dffff"
)


@functools.cache
def hidden() -> re.Pattern[str]:
    """Return the characters that are escaped: controls, blanks except the space, line breaks,
    invisible and bidirectional marks, and lone surrogates."""
    return re.compile(f"[^{_SHOWN}]")


@functools.cache
def hidden_in_lines() -> re.Pattern[str]:
    """Return the same for a text of several lines, in which line breaks stay."""
    return re.compile(f"[^{_SHOWN}\n]")


@functools.cache
def _unsafe() -> re.Pattern[str]:
    return re.compile(f"[^{_SHOWN}]|{COMMAND}")
