"""Read the tables of keys: a project's table when one of its families occurs, and only the row of
that key.

A row holds the names of many keys in one text. Searching this text is fast; building a record for
each name would take most of a run.
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
"""A project's table as its file has it."""


@lru_cache(4096)
def keys_named(name: str) -> tuple[Key, ...]:
    """Return the records of a key, one for each way in which it is read; none for an unknown key."""
    for owner in _owners(name):
        rows = [row for row in owner.get("keys", ()) if _has_word(row["keys"], name)]
        if rows:
            return tuple(_key(name, row, owner) for row in rows)
    return ()


@lru_cache(4096)
def old_named(name: str) -> Old | None:
    """Return the record of a deprecated key."""
    for owner in _owners(name):
        for row in owner.get("old", ()):
            if _has_word(row["keys"], name):
                return _old(name, row, owner)
    return None


def mistaken_for(name: str, server: str) -> str | None:
    """Return the variable of a model server that is meant by a variable of its clients."""
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
    """Return the resources of the projects with this key's family."""
    return tuple(
        word
        for owner in _owners(name)
        for row in owner.get("keys", ())
        if "resource" in row["field"]
        for word in row["keys"].split()
    )


def is_closed(name: str) -> bool:
    """Return whether all keys of this key's family are known."""
    for owner in _owners(name):
        for begin in owner.get("closed", "").split():
            if name.startswith(begin if begin.endswith("_") else f"{begin}/"):
                return True
    return False


def owners(name: str) -> tuple[str, ...]:
    """Return the projects with this key's family."""
    return families().get(family(name), ())


def family(name: str) -> str:
    """Return the family of a key: its domain, the prefix of a variable, or the whole key."""
    domain, slash, _ = name.rpartition("/")
    if slash:
        return domain
    first, line, _ = name.partition("_")
    return first + line


@cache
def families() -> dict[str, tuple[str, ...]]:
    """Return the projects of each family."""
    by_family: dict[str, tuple[str, ...]] = {}
    for name, words in table(DATA, "families").items():
        for word in words.split():
            by_family[word] = (*by_family.get(word, ()), name)
    return by_family


def projects() -> tuple[Project, ...]:
    """Return all projects, in the table's order."""
    return tuple(map(project, table(DATA, "families")))


@cache
def project(name: str) -> Project:
    """Return a project with all of its keys, by the name of its table."""
    rows = _told(name)
    keys: dict[str, tuple[Key, ...]] = {}
    for row in rows.get("keys", ()):
        for word in row["keys"].split():
            keys[word] = (*keys.get(word, ()), _key(word, row, rows))
    old = {
        word: _old(word, row, rows) for row in rows.get("old", ()) for word in row["keys"].split()
    }
    names, domain = rows.get("names", {}), _domain(rows)
    return Project(
        name=name,
        title=rows["title"],
        closed=tuple(rows.get("closed", "").split()),
        keys=keys,
        old=old,
        names=frozenset(
            word if "/" in word else f"{domain}{word}" for word in names.get("keys", "").split()
        ),
        names_source=rows["sources"][names["source"]] if names else None,
    )


@cache
def _told(name: str) -> Told:
    rows: Told = table(DATA, name)
    return rows


def _owners(name: str) -> list[Told]:
    return [_told(owner) for owner in owners(name)]


def _domain(rows: Told) -> str:
    """Return the domain of the names that are written without one."""
    first = rows.get("closed", "").partition(" ")[0]
    return f"{first}/" if first and not first.endswith("_") else ""


def _has_word(text: str, word: str) -> bool:
    return word in text and word in text.split()


def _key(name: str, row: Told, rows: Told) -> Key:
    value = None
    if "value" in row:
        from gpuspec.keys.forms import form_of

        value = form_of(row["value"])
    return Key(
        name=name,
        fields=_fields(row),
        level=row.get("level", "any"),
        value=value,
        then=row.get("then") or rows.get("then", ""),
        refused=row.get("refused", False),
        elsewhere=row.get("elsewhere", rows.get("elsewhere")),
        groups=tuple(row.get("for", "").split()),
        alone=row.get("alone", False),
        need=_beside(row.get("needs")),
        bar=_beside(row.get("bars")),
        set_by=row.get("set by"),
        said=row.get("said"),
        maker=rows.get("maker"),
        source=rows["sources"][row["source"]],
    )


def _beside(row: Told | None) -> RelatedKeys | None:
    if row is None:
        return None
    others = tuple(row["any"].split())
    return RelatedKeys(others, row["then"], row.get("soft", False), row.get("refused", False))


def _old(name: str, row: Told, rows: Told) -> Old:
    return Old(
        name=name,
        fields=_fields(row),
        by=row.get("by"),
        instead=row.get("instead"),
        same=row.get("same", True),
        read=row.get("read", False),
        since=row.get("since"),
        server=rows.get("server"),
        kept=tuple(row.get("kept by", "").split()),
        always=row.get("always"),
        title=rows["title"],
        source=rows["sources"][row["source"]],
    )


def _fields(row: Told) -> tuple[Field, ...]:
    fields: tuple[Field, ...] = tuple(row["field"].split())
    return fields
