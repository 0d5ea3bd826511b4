"""The tables: each key can be found, has its source, and is told once."""

import pytest

from gpuspec import keys
from gpuspec.keys.tables import owners
from gpuspec.lint.rows import ROWS

PROJECTS = keys.projects()


@pytest.mark.parametrize("one", PROJECTS, ids=[one.name for one in PROJECTS])
def test_every_key_of_a_project_is_found_by_its_family(one: keys.Project) -> None:
    every = {*one.keys, *one.old, *one.names}
    assert every
    assert [name for name in every if one.name not in owners(name)] == []


@pytest.mark.parametrize("one", PROJECTS, ids=[one.name for one in PROJECTS])
def test_a_key_is_told_in_one_way(one: keys.Project) -> None:
    assert one.names.isdisjoint(one.keys)
    assert one.old.keys().isdisjoint(one.every())


def test_a_key_belongs_to_one_project() -> None:
    seen: dict[str, str] = {}
    for one in PROJECTS:
        for name in one.keys:
            assert seen.setdefault(name, one.name) == one.name


def test_what_is_referred_to_is_there() -> None:
    codes = {row.code for row in ROWS}
    for one in PROJECTS:
        for key in (each for rows in one.keys.values() for each in rows):
            assert key.said is None or key.said in codes
            assert key.source
            assert key.need is None or all(map(keys.is_known, key.need.any))
            assert key.value is None or key.then
        for old in one.old.values():
            assert old.source
            assert old.by is None or keys.is_known(old.by)


def test_what_closes_a_family_is_one_of_its_own() -> None:
    for one in PROJECTS:
        for begin in one.closed:
            assert any(name.startswith(begin) for name in one.every()), begin


def test_names_that_are_known_are_nobodys_slip() -> None:
    for one in PROJECTS:
        for name in (*one.every(), *one.old):
            assert keys.meant(name) is None
