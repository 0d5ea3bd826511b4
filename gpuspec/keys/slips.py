"""The key that was meant by one that nobody reads."""

from __future__ import annotations

from functools import cache, lru_cache

from gpuspec.keys.tables import families, is_closed, is_known, owners, project


@lru_cache(4096)
def meant(name: str) -> str | None:
    """Return the key that a slip of the pen parts from this one; None where it may be right.

    Only of families whose keys are all known: elsewhere a key may be anybody's.
    """
    if is_known(name):
        return None
    if owners(name) and not is_closed(name):
        return None
    domain, slash, word = name.rpartition("/")
    return _key_meant(domain, word) if slash else _variable_meant(name)


def _key_meant(domain: str, word: str) -> str | None:
    if domain in families():
        close = _closest(word, _words(domain))
        return f"{domain}/{close}" if close else None
    # A slip in the domain: the name must be right, since other domains have keys of their own, and
    # the domain long, since short ones are close to each other by chance.
    for family in families():
        if len(family) < 10 or family.endswith("_") or _distance(domain, family, 2) > 2:
            continue
        if is_closed(f"{family}/") and word in _words(family):
            return f"{family}/{word}"
    return None


def _variable_meant(name: str) -> str | None:
    """Return a variable of as many words, one of which is off by a letter; or with a `_` too many
    or too few.

    Names that differ in short words or in numbers are not looked at: those are kinds of one thing.
    """
    found = [
        known for owner in owners(name) for known in project(owner).every() if _is_slip(name, known)
    ]
    return found[0] if len(found) == 1 else None


def _is_slip(name: str, known: str) -> bool:
    if abs(len(name) - len(known)) > 2:
        return False
    parts, right = name.split("_"), known.split("_")
    if len(parts) != len(right):
        return name.replace("_", "") == known.replace("_", "")
    off = [(part, other) for part, other in zip(parts, right, strict=True) if part != other]
    if len(off) != 1:
        return False
    left, other = off[0]
    if max(len(left), len(other)) < 5 or not (left + other).isalpha():
        return False
    most = 2 if len(other) >= 9 else 1
    return _distance(left, other, most) <= most


@cache
def _words(domain: str) -> frozenset[str]:
    every = (key for one in families().get(domain, ()) for key in project(one).every())
    return frozenset(key[len(domain) + 1 :] for key in every if key.startswith(f"{domain}/"))


def _closest(name: str, known: frozenset[str]) -> str | None:
    for other in (f"{name}-name", name.removesuffix("-name")):
        if other in known:
            return other
    # Short names are close to each other by chance.
    most = 1 if len(name) < 8 else 2 if len(name) < 14 else 3
    found = sorted((_distance(name, other, most), other) for other in known)
    if found and found[0][0] <= most:
        # Between two that are as close, nobody knows which was meant.
        return found[0][1] if found[1:2] == [] or found[1][0] > found[0][0] else None
    # In the domains whose keys are few and all known, the words in another order are a slip too.
    folded = {"".join(sorted(other.split("-"))): other for other in known}
    return folded.get("".join(sorted(name.replace("_", "-").split("-"))))


def _distance(one: str, other: str, most: int) -> int:
    """Return letters put in, left out, changed or swapped; more than `most` where there are
    more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
