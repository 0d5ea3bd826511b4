"""Mistyped words, and the known words that were probably meant."""

from collections.abc import Iterable


def nearest(word: str, known_words: Iterable[str]) -> str | None:
    """Return the one known word that was probably meant; case, `-` and `_` make no difference."""
    from gpuspec.escaping.meant import meant

    candidates = meant(word, known_words)
    return candidates[0] if len(candidates) == 1 else None


def choice(word: str, known_words: Iterable[str]) -> str:
    """Return a hint for an unknown word: the word that was probably meant, or all known words."""
    from gpuspec.escaping.meant import did_you_mean

    names = list(known_words)
    return did_you_mean(word, names) or f"one of: {', '.join(names)}"
