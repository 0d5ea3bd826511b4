"""Similar names: with a prefix, or with one wrong letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile

from gpuspec.escaping.spellings import Spellings
from gpuspec.numbers import is_digits
from gpuspec.objects.lazy import lazy

MANY = 500
"""The number of names above which only prefixes and suffixes are compared, for speed."""


class KnownNames:
    """Existing names, to look up similar ones."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [name for name in names if name]
        self._times = Counter(self._names)
        self._parts: dict[str, set[int]] = {}
        """The names, by number, that have a prefix or a suffix next to a part."""
        for at, name in enumerate(self._names):
            for part in _parts(name):
                self._parts.setdefault(part, set()).add(at)

    def __contains__(self, name: str) -> bool:
        return name in self._times

    def near(self, name: str) -> str | None:
        """Return the most likely meant name, or None.

        A name with a prefix or a suffix (`dev-chat` for `chat`) comes before one with a similar
        spelling; if several are possible, none is returned.
        """
        longer = [self._names[at] for at in self._parts.get(name, ())]
        parts = dict.fromkeys(_parts(name))
        fixed = [*longer, *(part for part in parts for _ in range(self._times[part]))]
        if fixed:
            return fixed[0] if len(fixed) == 1 else None
        if len(self._names) - self._times[name] > MANY:
            return None
        return next(iter(self._spellings.nearest(name, 0.85)), None)

    @lazy
    def _spellings(self) -> Spellings:
        return Spellings(self._times)


def near(name: str, others: Iterable[str]) -> str | None:
    """Return the most likely meant name, or None."""
    return KnownNames(others).near(name)


def _parts(name: str) -> Iterator[str]:
    """Yield the parts of a name that may be another name with a prefix or a suffix."""
    at = name.find("-")
    while at >= 0:
        yield from (part for part in (name[:at], name[at + 1 :]) if len(part) >= 3)
        at = name.find("-", at + 1)


class Slips:
    """Existing names, to look up misspelt ones."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names

    @lazy
    def _by_rest(self) -> dict[str, list[str]]:
        """The names with any one letter removed: two names that differ by one letter share such a
        form, so that names need not be compared in pairs."""
        names_by_rest: dict[str, list[str]] = {}
        for name in self._names:
            for rest in _rests(name):
                names_by_rest.setdefault(rest, []).append(name)
        return names_by_rest

    def near(self, name: str) -> list[str]:
        """Return the names of which another one is a misspelling."""
        some = (existing for rest in _rests(name) for existing in self._by_rest.get(rest, ()))
        return [existing for existing in dict.fromkeys(some) if slip(name, existing)]


def _rests(name: str) -> set[str]:
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}


def slip(name: str, second: str) -> bool:
    """Return whether one of two names looks like a misspelling: one letter or dash more, less or
    different, or two letters swapped.

    Numbers and short words distinguish objects: `pool-a` and `pool-b` are two names.
    """
    start = _alike(name, second)
    end = _alike(name[start:][::-1], second[start:][::-1])
    ours, theirs = name[start : len(name) - end], second[start : len(second) - end]
    if name == second or not (max(len(ours), len(theirs)) == 1 or ours == theirs[::-1]):
        return False
    changed = ours + theirs
    if changed.isalpha():
        return len(changed) <= 4 and min(_word(name, start), _word(second, start)) >= _LONG
    around = name[max(start - 1, 0) : start] + name[len(name) - end :][:1]
    return all(letter in "-._" for letter in changed) and not any(map(is_digits, around))


_LONG = 4
"""Length of a word above which one different letter is a misspelling."""


def _alike(name: str, second: str) -> int:
    """Return the number of equal letters at the start."""
    pairs = zip(name, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _word(name: str, at: int) -> int:
    """Return the length of the word at an index of a name."""
    head, tail = re.split(r"[^a-z]", name[:at])[-1], re.split(r"[^a-z]", name[at:])[0]
    return len(head) + len(tail)
