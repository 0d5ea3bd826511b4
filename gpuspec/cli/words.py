"""Words that people mistype, and the one that they meant."""

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; case, `-` and `_` make no difference."""
    import difflib

    by_folded = {folded(name): name for name in known}
    close = difflib.get_close_matches(folded(word), by_folded, n=1)
    return by_folded[close[0]] if close else None


def choice(word: str, known: Iterable[str]) -> str:
    """A hint for a word that is none of the known: the one that was meant, or all of them."""
    names = list(known)
    meant = nearest(word, names)
    return f"did you mean `{meant}`?" if meant else f"one of: {', '.join(names)}"


def folded(word: str) -> str:
    """A word without what people vary: `FineTune`, `fine_tune` and `fine-tune` are one."""
    return word.lower().replace("-", "").replace("_", "")
