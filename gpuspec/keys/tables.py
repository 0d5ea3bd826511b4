"""Reading the tables: each project's only when a key of its families is met, and of it only that key.

A row stands for many keys, whose names are words of one text: to look for a word there takes no
time, to make something of each would take most of a run.
"""

from __future__ import annotations

import os
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from gpuspec.keys.model import Key, Old, Project, RelatedKeys
from gpuspec.manifests.tables import table

if TYPE_CHECKING:
    from gpuspec.keys.model import Field

DATA = os.path.join(os.path.dirname(__file__), "data")
Told = dict[str, Any]
"""A project's table as it is written."""


@lru_cache(4096)
def keys_named(name: str) -> tuple[Key, ...]:
    """Return what is known of a key: one for each way in which it is read; none for what nobody
    reads."""
    for owner in _owners(name):
        rows = [row for row in owner.get("keys", ()) if _has_word(row["keys"], name)]
        if rows:
            return tuple(_key(name, row, owner) for row in rows)
    return ()


@lru_cache(4096)
def old_named(name: str) -> Old | None:
    """Return what took the place of a key that went out of use."""
    for owner in _owners(name):
        for row in owner.get("old", ()):
            if _has_word(row["keys"], name):
                return _old(name, row, owner)
    return None


def mistaken_for(name: str, server: str) -> str | None:
    """Return the variable of a model server that is meant by one that only its clients have."""
    for owner in _owners(name):
        if owner.get("server") == server:
            for right, words in owner.get("mistaken", {}).items():
                if _has_word(words, name):
                    return str(right)
    return None


@lru_cache(4096)
def is_known(name: str) -> bool:
    """Return whether any project reads this key, or did."""
    if keys_named(name) or old_named(name):
        return True
    for owner in _owners(name):
        domain = _domain(owner)
        words = owner.get("names", {}).get("keys", "")
        short = name.removeprefix(domain) if domain else name
        if _has_word(words, name) or _has_word(words, short):
            return True
    return False


def resources_beside(name: str) -> tuple[str, ...]:
    """Return the resources of the projects whose keys are called so."""
    return tuple(
        word
        for owner in _owners(name)
        for row in owner.get("keys", ())
        if "resource" in row["field"]
        for word in row["keys"].split()
    )


def is_closed(name: str) -> bool:
    """Return whether all keys of a project that are called so are known."""
    for owner in _owners(name):
        for begin in owner.get("closed", "").split():
            if name.startswith(begin if begin.endswith("_") else f"{begin}/"):
                return True
    return False


def owners(name: str) -> tuple[str, ...]:
    """Return the projects whose keys are called so."""
    return families().get(family(name), ())


def family(name: str) -> str:
    """Return what a key is looked up by: its domain, the beginning of a variable, or the whole
    key."""
    domain, slash, _ = name.rpartition("/")
    if slash:
        return domain
    first, line, _ = name.partition("_")
    return first + line


@cache
def families() -> dict[str, tuple[str, ...]]:
    """Return the projects of each family."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in table(DATA, "families").items():
        for word in words.split():
            found[word] = (*found.get(word, ()), name)
    return found


def projects() -> tuple[Project, ...]:
    """Return all of them, in the table's order."""
    return tuple(map(project, table(DATA, "families")))


@cache
def project(name: str) -> Project:
    """Return all that is known of a project, by the name of its table."""
    told = _told(name)
    keys: dict[str, tuple[Key, ...]] = {}
    for row in told.get("keys", ()):
        for word in row["keys"].split():
            keys[word] = (*keys.get(word, ()), _key(word, row, told))
    old = {
        word: _old(word, row, told) for row in told.get("old", ()) for word in row["keys"].split()
    }
    names, domain = told.get("names", {}), _domain(told)
    return Project(
        name=name,
        title=told["title"],
        closed=tuple(told.get("closed", "").split()),
        keys=keys,
        old=old,
        names=frozenset(
            word if "/" in word else f"{domain}{word}" for word in names.get("keys", "").split()
        ),
        names_source=told["sources"][names["source"]] if names else None,
    )


@cache
def _told(name: str) -> Told:
    told: Told = table(DATA, name)
    return told


def _owners(name: str) -> list[Told]:
    return [_told(owner) for owner in owners(name)]


def _domain(told: Told) -> str:
    """Return the domain of names that are written without one."""
    first = told.get("closed", "").partition(" ")[0]
    return f"{first}/" if first and not first.endswith("_") else ""


def _has_word(text: str, word: str) -> bool:
    return word in text and word in text.split()


def _key(name: str, row: Told, told: Told) -> Key:
    value = None
    if "value" in row:
        from gpuspec.keys.forms import form_of

        value = form_of(row["value"])
    return Key(
        name=name,
        fields=_fields(row),
        level=row.get("level", "any"),
        value=value,
        then=row.get("then") or told.get("then", ""),
        refused=row.get("refused", False),
        elsewhere=row.get("elsewhere", told.get("elsewhere")),
        groups=tuple(row.get("for", "").split()),
        alone=row.get("alone", False),
        need=_beside(row.get("needs")),
        bar=_beside(row.get("bars")),
        set_by=row.get("set by"),
        said=row.get("said"),
        maker=told.get("maker"),
        source=told["sources"][row["source"]],
    )


def _beside(told: Told | None) -> RelatedKeys | None:
    if told is None:
        return None
    others = tuple(told["any"].split())
    return RelatedKeys(others, told["then"], told.get("soft", False), told.get("refused", False))


def _old(name: str, row: Told, told: Told) -> Old:
    return Old(
        name=name,
        fields=_fields(row),
        by=row.get("by"),
        instead=row.get("instead"),
        same=row.get("same", True),
        read=row.get("read", False),
        since=row.get("since"),
        server=told.get("server"),
        kept=tuple(row.get("kept by", "").split()),
        always=row.get("always"),
        title=told["title"],
        source=told["sources"][row["source"]],
    )


def _fields(row: Told) -> tuple[Field, ...]:
    fields: tuple[Field, ...] = tuple(row["field"].split())
    return fields
