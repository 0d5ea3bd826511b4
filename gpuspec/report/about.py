"""Decisions about one field, however much of its path was typed."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuspec.plan import Decision

_STEP = re.compile(r'\["([^"]*)"\]|\[[0-9]*\]|([^.\[\]]+)')

Steps = tuple[str, ...]


def about(decisions: "Iterable[Decision]", path: str) -> "list[Decision]":
    """Those about a path, or about a part of one: `tolerations`, `securityContext.runAsUser`.

    What a value holds inside is asked too. Positions in lists are left out.
    """
    asked = steps(path)
    return [one for one in decisions if any(_holds(whole, asked) for whole in _paths(one))]


def names(decisions: "Iterable[Decision]") -> list[str]:
    """Every name of a field that decisions are about."""
    found = (step for one in decisions for whole in _paths(one) for step in whole)
    return list(dict.fromkeys(found))


def steps(path: str) -> Steps:
    """The names in a path, without positions in lists."""
    found = (quoted or plain for quoted, plain in _STEP.findall(path))
    return tuple(filter(None, found))


def _paths(one: "Decision") -> Iterator[Steps]:
    base = steps(one.path)
    yield base
    for inner in _inside(one.value):
        yield (*base, *inner)


def _inside(value: Any) -> Iterator[Steps]:
    """The paths within a value."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield (str(key),)
            yield from ((str(key), *inner) for inner in _inside(held))
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _inside(held)


def _holds(whole: Steps, asked: Steps) -> bool:
    size = len(asked)
    return any(whole[at : at + size] == asked for at in range(len(whole) - size + 1))
