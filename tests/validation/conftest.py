"""Objects to judge: valid ones, and each of them broken in every way at every place."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

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
