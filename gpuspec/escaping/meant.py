"""Suggestions for an unknown word."""

import re
from collections.abc import Iterable
from functools import lru_cache

from gpuspec.escaping.spellings import Spellings

# Comparing words costs the product of their lengths, and no name of ours is longer.
_MOST_COMPARED = 64
_LEAST = 2
"""The minimum length of a word that is looked up as part of a name."""
_NAMED = 5
"""The number of names that are listed; the others are counted."""
_PARTS = re.compile(r"[-_./ ]+")


def meant(word: str, words: Iterable[str], likeness: float = 0.6) -> list[str]:
    """Return the known words that a word can mean, ignoring case and dashes: the word itself, or
    else all that begin with it or contain it as a part, or else the nearest one, if any."""
    if len(word) > _MOST_COMPARED:
        return []
    known_words = _known_words(tuple(words))
    typed = folded(word)
    if typed in known_words.by_folded:
        return [known_words.by_folded[typed]]
    if len(typed) >= _LEAST:
        with_part = known_words.by_part.get(word.lower(), ())
        parts = [
            name
            for folded_name, name in known_words.by_folded.items()
            if folded_name.startswith(typed) or name in with_part
        ]
        if parts:
            return parts
    return [
        known_words.by_folded[match] for match in known_words.spellings.nearest(typed, likeness)
    ]


class _KnownWords:
    """Known words, prepared for many comparisons."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.by_folded = {folded(name): name for name in words}
        self.by_part: dict[str, set[str]] = {}
        for name in self.by_folded.values():
            for part in _PARTS.split(name.lower()):
                self.by_part.setdefault(part, set()).add(name)
        self.spellings = Spellings(self.by_folded)


@lru_cache(maxsize=16)
def _known_words(words: tuple[str, ...]) -> _KnownWords:
    return _KnownWords(words)


def did_you_mean(word: str, words: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return a suggestion for an unknown word: the word that was meant, or those that it can mean."""
    candidates = meant(word, words, likeness)
    if len(candidates) < 2:
        return f"did you mean `{candidates[0]}`?" if candidates else None
    more = f" or {len(candidates) - _NAMED} more" if len(candidates) > _NAMED else ""
    return f"it can mean {', '.join(candidates[:_NAMED])}{more}: name one of them"


def folded(word: str) -> str:
    """Return a word without the differences of spelling: `FineTune`, `fine_tune` and `fine-tune`
    are equal."""
    return word.lower().replace("-", "").replace("_", "")
