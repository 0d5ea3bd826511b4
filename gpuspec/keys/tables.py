"""Reading the tables: each project's once, and only when a key of its families is met."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from gpuspec.keys.forms import form_of
from gpuspec.keys.model import Field, Key, Need, Old, Project
from gpuspec.manifests.tables import table

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


def keys_named(name: str) -> tuple[Key, ...]:
    """What is known of a key: one for each way in which it is read; none for what nobody reads."""
    for one in owners(name):
        found = project(one).keys.get(name)
        if found:
            return found
    return ()


def old_named(name: str) -> Old | None:
    """What took the place of a key that went out of use."""
    for one in owners(name):
        found = project(one).old.get(name)
        if found:
            return found
    return None


def is_known(name: str) -> bool:
    """Whether any project reads this key, or did."""
    return any(project(one).has(name) for one in owners(name))


def owners(name: str) -> tuple[str, ...]:
    """The projects whose keys are called so."""
    return families().get(family(name), ())


def family(name: str) -> str:
    """By what a key is looked up: its domain, how a variable begins, or the whole of it."""
    domain, slash, _ = name.rpartition("/")
    if slash:
        return domain
    first, line, _ = name.partition("_")
    return first + line


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The projects of each family."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in table(DATA, "families").items():
        for word in words.split():
            found[word] = (*found.get(word, ()), name)
    return found


def projects() -> tuple[Project, ...]:
    """All of them, in the table's order."""
    return tuple(map(project, table(DATA, "families")))


@cache
def project(name: str) -> Project:
    """A project by the name of its table."""
    told = table(DATA, name)
    sources = told["sources"]
    keys: dict[str, tuple[Key, ...]] = {}
    for row in told.get("keys", ()):
        made = _key(row, told, name)
        for word in row["keys"].split():
            keys[word] = (*keys.get(word, ()), made(word))
    names = told.get("names", {})
    closed = tuple(told.get("closed", "").split())
    return Project(
        name=name,
        title=told["title"],
        closed=closed,
        server=told.get("server"),
        keys=keys,
        old={
            word: _old(word, row, told, name)
            for row in told.get("old", ())
            for word in row["keys"].split()
        },
        names=frozenset(_whole(word, closed) for word in names.get("keys", "").split()),
        names_source=sources[names["source"]] if names else None,
    )


def _whole(word: str, closed: tuple[str, ...]) -> str:
    """A name with its domain: one without is of the project's first."""
    is_domain = bool(closed) and not closed[0].endswith("_")
    return f"{closed[0]}/{word}" if is_domain and "/" not in word else word


def _key(row: dict[str, Any], told: dict[str, Any], project: str) -> Any:
    need = row.get("needs")
    shared: dict[str, Any] = {
        "fields": _fields(row),
        "level": row.get("level", "any"),
        "value": form_of(row["value"]) if "value" in row else None,
        "then": row.get("then", told.get("then", "")),
        "refused": row.get("refused", False),
        "elsewhere": row.get("elsewhere", told.get("elsewhere")),
        "groups": tuple(row.get("for", "").split()),
        "alone": row.get("alone", False),
        "need": None
        if need is None
        else Need(tuple(need["any"].split()), need["then"], need.get("soft", False)),
        "set_by": row.get("set by"),
        "said": row.get("said"),
        "project": project,
        "source": told["sources"][row["source"]],
    }
    return lambda name: Key(name=name, **shared)


def _old(name: str, row: dict[str, Any], told: dict[str, Any], project: str) -> Old:
    return Old(
        name=name,
        fields=_fields(row),
        by=row.get("by"),
        instead=row.get("instead"),
        same=row.get("same", True),
        read=row.get("read", False),
        since=row.get("since"),
        project=project,
        source=told["sources"][row["source"]],
    )


def _fields(row: dict[str, Any]) -> tuple[Field, ...]:
    fields: tuple[Field, ...] = tuple(row["field"].split())
    return fields
