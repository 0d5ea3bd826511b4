"""Several words as one phrase, and numbers with their noun."""

from collections.abc import Iterable


def listed(words: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 GPU`, `2 GPUs`, `3 processes`."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{ending}"


def choice_of(words: Iterable[str], most: int = 6) -> str:
    """Return words to choose from, in backquotes: `a`, `a` or `b`, `a`, `b` or one of 3 more."""
    choices = list(words)
    more = len(choices) - most
    quoted = [f"`{word}`" for word in (choices[:most] if more > 1 else choices)]
    *others, last = [*quoted, f"one of {more} more"] if more > 1 else quoted
    return f"{', '.join(others)} or {last}" if others else last


def because(text: str) -> str:
    """Return the first sentence of a text as the end of another one: `: the engine runs`."""
    sentence = text.strip().partition(". ")[0].removesuffix(".")
    is_word = len(sentence) < 2 or not sentence[1].isupper()
    return f": {sentence[0].lower() if is_word else sentence[0]}{sentence[1:]}"


def proven(text: str) -> str:
    """Return what a probe's success proves as the end of a sentence: `, which answers 200 only if
    the engine runs`."""
    clause = because(text).removeprefix(": ").partition(";")[0]
    return f", which answers 200 only if {clause}"
