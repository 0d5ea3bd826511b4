"""What was meant by a word that is none of the known ones."""

import re
from collections.abc import Iterable

# Comparing words costs the product of their lengths, and no name of ours is longer.
_MOST_COMPARED = 64
_LEAST = 2
"""Characters of a word that may be part of a name."""
_NAMED = 5
"""As many names are listed; the others are counted."""
_PARTS = re.compile(r"[-_./ ]+")


def meant(word: str, words: Iterable[str], likeness: float = 0.6) -> list[str]:
    """Return the known words that a word can mean, whatever its case and dashes: that word itself,
    else all that begin with it or have it for a part, else the nearest one. None of these:
    nothing."""
    if len(word) > _MOST_COMPARED:
        return []
    by_folded = {folded(name): name for name in words}
    typed = folded(word)
    if typed in by_folded:
        return [by_folded[typed]]
    if len(typed) >= _LEAST:
        parts = [
            name
            for folded_name, name in by_folded.items()
            if folded_name.startswith(typed) or word.lower() in _PARTS.split(name.lower())
        ]
        if parts:
            return parts
    from difflib import get_close_matches

    return [by_folded[match] for match in get_close_matches(typed, by_folded, n=1, cutoff=likeness)]


def did_you_mean(word: str, words: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return what to say of a word that is none of the known: the one that was meant, or those that
    it can mean."""
    candidates = meant(word, words, likeness)
    if len(candidates) < 2:
        return f"did you mean `{candidates[0]}`?" if candidates else None
    more = f" or {len(candidates) - _NAMED} more" if len(candidates) > _NAMED else ""
    return f"it can mean {', '.join(candidates[:_NAMED])}{more}: name one of them"


def folded(word: str) -> str:
    """Return a word without what people vary: `FineTune`, `fine_tune` and `fine-tune` are one."""
    return word.lower().replace("-", "").replace("_", "")
