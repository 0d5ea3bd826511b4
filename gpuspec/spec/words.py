"""How what people wrote is shown back to them, and what they may have meant."""

import json
from collections.abc import Iterable

from gpuspec.escaping.formats import json_escaped

_MOST_SHOWN = 60
# Comparing words costs the product of their lengths, and no name of ours is longer.
_MOST_COMPARED = 64


def shown(value: object) -> str:
    """A value in a message: texts in quotes and shortened, nothing that a terminal would obey."""
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
    """`a, b or c`."""
    words = [str(choice) for choice in choices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """`did you mean …?` when one of the known words is close, whatever its case and dashes."""
    if len(word) > _MOST_COMPARED:
        return None
    from difflib import get_close_matches

    by_folded = {_folded(name): name for name in known}
    close = get_close_matches(_folded(word), by_folded, n=1, cutoff=likeness)
    return f"did you mean `{by_folded[close[0]]}`?" if close else None


def _folded(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
