"""Objects to judge: valid ones, and each of them broken in every way at every place."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from gpuspec.manifests import parse_path
from gpuspec.validation.custom import bundle_of
from gpuspec.validation.operators import OPERATORS

STRANGERS: list[Any] = [
    None,
    True,
    7,
    3.0,
    1.5,
    -1,
    2**40,
    "",
    "7",
    "text",
    [],
    ["a"],
    {},
    {"a": 1},
]


@pytest.fixture(scope="session")
def objects() -> list[dict[str, Any]]:
    """Valid objects of many kinds (the last is of a kind without a schema)."""
    text = (Path(__file__).parent / "objects.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text))


@pytest.fixture(scope="session")
def broken(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects, each with one change: deleted, misspelt, added to or of another type."""
    return [changed for value in objects for changed in _changes(value)]


Object = dict[str, Any]


def _cases() -> list[tuple[Object, Object, str, str]]:
    """Right objects of custom kinds, the same broken, where that is, and what is to be said."""
    entries = [
        entry
        for name in ("custom.yaml", "queues.yaml")
        for entry in yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))
    ]
    return [
        (right, _put(right, entry["wrong"]["at"], entry["wrong"].get("value", GONE)), at, says)
        for entry in entries
        for version in (entry["object"]["apiVersion"], *entry.get("also", ()))
        for right in [{**entry["object"], "apiVersion": version}]
        for at, says in [(entry["wrong"]["at"], entry["wrong"]["says"])]
    ]


GONE = object()


def _put(value: Object, at: str, new: object) -> Object:
    """A copy of an object with another value at a path; `GONE` deletes what is there."""
    changed = copy.deepcopy(value)
    *steps, last = parse_path(at)
    place: Any = changed
    for step in steps:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if new is GONE:
        del place[last]
    else:
        place[last] = new
    return changed


@pytest.fixture
def put() -> Callable[[Object, str, object], Object]:
    """A function: a copy of an object with another value at a path."""
    return _put


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `right` object on every case."""
    if "right" in metafunc.fixturenames:
        cases = _cases()
        names = [f"{right['apiVersion']}-{right['kind']}" for right, *_ in cases]
        metafunc.parametrize(("right", "wrong", "at", "says"), cases, ids=names)


@contextmanager
def no_operators() -> Iterator[None]:
    """What is validated meanwhile, an API server alone judges: no operator has webhooks."""
    bundle_of.cache_clear()
    try:
        with patch.dict(OPERATORS, clear=True):
            yield
    finally:
        bundle_of.cache_clear()


@pytest.fixture
def server_alone() -> Iterator[None]:
    """No operators, for a whole test."""
    with no_operators():
        yield


def plain_cases() -> dict[tuple[str, str], Object]:
    """A right object of every custom kind, by apiVersion and kind."""
    return {(right["apiVersion"], right["kind"]): right for right, *_ in _cases()}


@pytest.fixture(scope="session")
def cases() -> dict[tuple[str, str], Object]:
    """The same, for tests."""
    return plain_cases()


@pytest.fixture(scope="session")
def wrong_cases() -> list[Object]:
    """A wrong object of every custom kind."""
    return [wrong for _, wrong, *_ in _cases()]


@pytest.fixture(scope="session")
def broken_cases(cases: dict[tuple[str, str], Object]) -> list[Object]:
    """The right objects, and each with one change that leaves its kind alone."""
    found = []
    for (api_version, kind), value in cases.items():
        found.append(value)
        found += [
            changed
            for changed in _changes(value)
            if (changed.get("apiVersion"), changed.get("kind")) == (api_version, kind)
        ]
    return found


def _changes(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in _paths(value):
        for change in (_without, _misspelt, _added):
            changed = copy.deepcopy(value)
            if change(_at(changed, path[:-1]), path[-1]):
                yield changed
        for stranger in STRANGERS:
            changed = copy.deepcopy(value)
            _at(changed, path[:-1])[path[-1]] = stranger
            yield changed


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(item, (*path, step))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _without(parent: Any, step: Any) -> bool:
    del parent[step]
    return True


def _misspelt(parent: Any, step: Any) -> bool:
    if isinstance(step, int):
        return False
    parent[f"{step}x"] = parent.pop(step)
    return True


def _added(parent: Any, step: Any) -> bool:
    if not isinstance(parent[step], dict):
        return False
    parent[step]["extra"] = "x"
    return True
