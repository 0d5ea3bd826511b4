"""Compare command lines by flags with their values, and by single words."""

from __future__ import annotations

from typing import Any, NamedTuple

from gpuspec.diff.steps import Pick, Step
from gpuspec.diff.values import ABSENT

Pair = tuple[Step, Any, Any]
Moved = tuple[list[str], list[str]]


def by_flag(old: list[Any], new: list[Any]) -> tuple[list[Pair], Moved | None] | None:
    """Return the matching words by flag, and their order if it differs.

    None if a flag or word occurs twice, or is no text; then words are compared by position.
    """
    before, after = _units(old), _units(new)
    if before is None or after is None:
        return None
    # A word without a flag that changed stands where another stood.
    gone = [key for key in before if key not in after and not _is_flag(key)]
    come = [key for key in after if key not in before and not _is_flag(key)]
    pairs: list[Pair] = []
    for at, (key, unit) in enumerate(after.items()):
        if key in before:
            old_unit, new_unit = before[key], unit
            # `--port 80` and `--port=80` are not the same words.
            whole = old_unit.form != new_unit.form
            pairs.append((Pick(key), old_unit.shown(whole=whole), new_unit.shown(whole=whole)))
        elif key in come and (nth := come.index(key)) < len(gone):
            pairs.append((Pick(str(at)), gone[nth], key))
        else:
            pairs.append((Pick(key if _is_flag(key) else str(at)), ABSENT, unit.value))
    removed = [key for key in before if key not in after and key not in gone[: len(come)]]
    pairs += ((Pick(key), before[key].value, ABSENT) for key in removed)
    order = [key for key in before if key in after], [key for key in after if key in before]
    return pairs, None if order[0] == order[1] else order


def _units(words: list[Any]) -> dict[str, _Unit] | None:
    """Return the values by flag; a flag without a value, and a word without a flag, is its own
    value."""
    by_key: dict[str, _Unit] = {}
    flag: str | None = None
    for word in words:
        if not isinstance(word, str) or not word:
            return None
        if flag is not None and not _is_flag(word):
            by_key[flag] = _Unit(f"{flag} {word}", word, "two words")
            flag = None
            continue
        name, equals, value = word.partition("=")
        joined = bool(equals) and _is_flag(word)
        key = name if joined else word
        if key in by_key:
            return None
        by_key[key] = _Unit(word, value, "one word") if joined else _Unit(word, word, "bare")
        flag = key if _is_flag(word) and not joined else None
    return by_key


class _Unit(NamedTuple):
    words: str
    value: str
    form: str

    def shown(self, *, whole: bool) -> str:
        return self.words if whole else self.value


def _is_flag(word: str) -> bool:
    """Return whether a word is a flag: `--port`, `-c`, `--port=80`; a negative number is not."""
    head = word.partition("=")[0]
    return head.startswith("-") and head.strip("-")[:1].isalpha() and " " not in head
