"""Find the known key that a misspelled key means."""

from __future__ import annotations

from functools import cache, lru_cache

from gpuspec.keys.tables import families, is_closed, is_known, owners, project


@lru_cache(4096)
def meant(name: str) -> str | None:
    """Return the known key that differs from this one by a typing error; None if the key may be
    right.

    Only for families whose keys are all known: elsewhere a key may belong to any program.
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
    """Return a variable with the same number of words, one of which differs by a letter, or with a
    `_` too many or too few.

    Names that differ in short words or in numbers are skipped: these are variants of one thing.
    """
    candidates = [
        variable
        for owner in owners(name)
        for variable in project(owner).every()
        if _is_slip(name, variable)
    ]
    return candidates[0] if len(candidates) == 1 else None


def _is_slip(name: str, variable: str) -> bool:
    if abs(len(name) - len(variable)) > 2:
        return False
    parts, right = name.split("_"), variable.split("_")
    if len(parts) != len(right):
        return name.replace("_", "") == variable.replace("_", "")
    off = [
        (part, word_known)
        for part, word_known in zip(parts, right, strict=True)
        if part != word_known
    ]
    if len(off) != 1:
        return False
    word_written, word_known = off[0]
    if max(len(word_written), len(word_known)) < 5 or not (word_written + word_known).isalpha():
        return False
    most = 2 if len(word_known) >= 9 else 1
    return _distance(word_written, word_known, most) <= most


@cache
def _words(domain: str) -> frozenset[str]:
    every = (key for name in families().get(domain, ()) for key in project(name).every())
    return frozenset(key[len(domain) + 1 :] for key in every if key.startswith(f"{domain}/"))


def _closest(name: str, names: frozenset[str]) -> str | None:
    for candidate in (f"{name}-name", name.removesuffix("-name")):
        if candidate in names:
            return candidate
    # Short names are close to each other by chance.
    most = 1 if len(name) < 8 else 2 if len(name) < 14 else 3
    ranked = sorted((_distance(name, candidate, most), candidate) for candidate in names)
    if ranked and ranked[0][0] <= most:
        # Between two that are as close, nobody knows which was meant.
        return ranked[0][1] if ranked[1:2] == [] or ranked[1][0] > ranked[0][0] else None
    # In the domains whose keys are few and all known, the words in another order are a slip too.
    folded = {"".join(sorted(candidate.split("-"))): candidate for candidate in names}
    return folded.get("".join(sorted(name.replace("_", "-").split("-"))))


def _distance(word: str, candidate: str, most: int) -> int:
    """Return the number of letters inserted, deleted, changed or swapped; more than `most` if there
    are more."""
    if abs(len(word) - len(candidate)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(candidate) + 1))
    for i, letter in enumerate(word, 1):
        last, before, row = before, row, [i]
        for j, candidate_letter in enumerate(candidate, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != candidate_letter))
            if i > 1 and j > 1 and letter == candidate[j - 2] and word[i - 2] == candidate_letter:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
