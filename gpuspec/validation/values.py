"""Descriptions of values, and of expected values."""

import json
from collections.abc import Iterable
from typing import Any

from gpuspec.escaping.spellings import nearest

# In the order in which people expect to read alternatives.
NOUNS: dict[type, str] = {
    int: "an integer",
    float: "a number",
    str: "a string",
    bool: "a boolean",
    list: "a list",
    dict: "a map",
}
QUANTITY = 'a quantity, such as "500m" or "16Gi"'
LABEL_VALUE = (
    'a label value: letters, digits, "-", "_" and ".", with a letter or digit at both ends'
)
_LONGEST_VALUE = 40


def instead(expected: str, value: object) -> str:
    """Return the message for a value of the wrong type."""
    return f"expected {expected}, not {described(value)}"


def described(value: Any) -> str:
    """Return a value as the subject of a sentence: ``the string "a"``, ``a list``."""
    if isinstance(value, (list, dict)):
        return NOUNS[type(value)]
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_VALUE:
        text = f"{text[: _LONGEST_VALUE - 1]}…" + '"' * isinstance(value, str)
    nouns = {str: "the string ", int: "the integer ", float: "the number "}
    return nouns.get(type(value), "") + text


def closest(word: str, known_values: Iterable[str]) -> str | None:
    """Suggest `did you mean …?` if one of the known words is close, whatever its case."""
    name = likest(word, known_values)
    return f"did you mean `{name}`?" if name else None


def likest(word: str, known_values: Iterable[str], alike: float = 0.7) -> str | None:
    """Return the known word that is most similar to a word, regardless of case."""
    by_lower = {name.lower(): name for name in sorted(known_values)}
    close = nearest(word.lower(), by_lower, alike)
    return by_lower[close] if close else None
