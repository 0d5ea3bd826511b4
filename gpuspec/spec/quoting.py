"""Formatting of user input in messages."""

import json
from collections.abc import Iterable

from gpuspec.escaping.formats import json_escaped

_MOST_SHOWN = 60


def shown(value: object) -> str:
    """Return a value for a message: strings are quoted and shortened, and control characters
    escaped."""
    if isinstance(value, str):
        text = value if len(value) <= _MOST_SHOWN else value[: _MOST_SHOWN - 1] + "…"
        return json_escaped(json.dumps(text, ensure_ascii=False))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else str(value)[:_MOST_SHOWN]


def either(choices: Iterable[object]) -> str:
    """Return `a, b or c`."""
    words = [str(choice) for choice in choices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
