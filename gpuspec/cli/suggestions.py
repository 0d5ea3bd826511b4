"""Words that people mistype, and what they meant."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one known word that was probably meant; case, `-` and `_` make no difference."""
    from gpuspec.escaping.meant import meant

    found = meant(word, known)
    return found[0] if len(found) == 1 else None


def choice(word: str, known: Iterable[str]) -> str:
    """Return a hint for a word that is none of the known: what was meant, or all of them."""
    from gpuspec.escaping.meant import did_you_mean

    names = list(known)
    return did_you_mean(word, names) or f"one of: {', '.join(names)}"
