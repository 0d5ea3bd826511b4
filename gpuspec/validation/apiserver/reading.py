"""Reading an object that its schema allows: null, and a field that is not there, are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuspec.validation.violation import Violation

Map = dict[str, Any]
Relation = Callable[[Map, str], Iterator[Violation]]
"""From a map and the Kubernetes version to what is wrong in it, with paths from the map."""


def maps(value: Mapping[str, Any], field: str) -> Iterator[tuple[int, Map]]:
    """The items of a field that lists maps, each with its index."""
    for index, item in enumerate(value.get(field) or ()):
        if item is not None:
            yield index, item


def inner(value: Mapping[str, Any], *fields: str) -> Map:
    """The map in a field, or in a field of the map there; empty for none."""
    found: Any = value
    for field in fields:
        found = found.get(field) or {}
    made: Map = found
    return made
