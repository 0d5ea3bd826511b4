"""The nearest of many words by spelling, with the result of `difflib.get_close_matches`, but
without comparing all."""

from collections.abc import Iterable
from functools import lru_cache


class Spellings:
    """Words with their letters counted in advance, for many comparisons."""

    def __init__(self, words: Iterable[str]) -> None:
        self._bits: dict[tuple[str, int], int] = {}
        self._words = [(word, self._letters(word)) for word in words]

    def nearest(self, word: str, likeness: float) -> list[str]:
        """Return the most similar word, if its similarity is at least `likeness`."""
        from difflib import get_close_matches

        letters, length = self._letters(word), len(word)
        # Twice the letters in common over those of both words is the most that the ratio can be.
        near = [
            known_word
            for known_word, known_letters in self._words
            if known_word != word
            and 2 * (letters & known_letters).bit_count() / (length + len(known_word)) >= likeness
        ]
        return get_close_matches(word, near, n=1, cutoff=likeness)

    def _letters(self, word: str) -> int:
        """Return a bit mask with one bit for each occurrence of each letter."""
        times: dict[str, int] = {}
        letters = 0
        for letter in word:
            time = times[letter] = times.get(letter, -1) + 1
            letters |= 1 << self._bits.setdefault((letter, time), len(self._bits))
        return letters


def nearest(word: str, words: Iterable[str], likeness: float) -> str | None:
    """Return the word itself if it is known, or else the most similar word, if its similarity is at
    least `likeness`."""
    known_words = tuple(words)
    if word in known_words:
        return word
    return next(iter(_spellings(known_words).nearest(word, likeness)), None)


@lru_cache(maxsize=64)
def _spellings(words: tuple[str, ...]) -> Spellings:
    return Spellings(words)
