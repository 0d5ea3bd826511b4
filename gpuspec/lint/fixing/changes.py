"""The effect of a fix on plain values, which an edited text must match."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.lint.model import Drop, Put, Rename

if TYPE_CHECKING:
    from gpuspec.lint.model import Change
    from gpuspec.manifests import Path


class NoFixError(Exception):
    """The change is impossible: the path is not as the rule expected, or the text is shared."""


def in_order(changes: tuple[Change, ...]) -> list[Change]:
    """Return the changes in an order in which none shifts the path of a later one.

    Puts come first, in their order, because they shift nothing; then the rest from the end of the
    document to its beginning, deeper paths first.
    """
    puts = [change for change in changes if isinstance(change, Put)]
    rest = [change for change in changes if not isinstance(change, Put)]
    return [*puts, *sorted(rest, key=lambda change: _rank(change.path), reverse=True)]


def changed(value: object, change: Change) -> Any:
    """Return the value after one change. The given value is not changed, and is returned itself if
    there is nothing to do.

    A mapping or list that loses its last entry stays, empty, unless a drop says otherwise.

    Raises:
        NoFixError: a step that the value has no place for, the root itself, or a new key that is
            there already.
    """
    if not change.path:
        raise NoFixError("a document cannot be changed as a whole")
    *steps, last = reached(value, change)
    parent = _there(value, steps)
    is_present = _has(parent, last)
    if isinstance(change, Put):
        if is_present and same(parent[last], change.value):
            return value
        value = copy.copy(value)
        _set(_made(value, steps, last), last, change.value)
        return value
    if not is_present:
        return value
    value = copy.copy(value)
    holder = _made(value, steps, last)
    if isinstance(change, Drop):
        del holder[last]
    else:
        _rename(holder, last, change)
    return value


def planned(value: object, changes: tuple[Change, ...]) -> tuple[list[Change], Any]:
    """Return the necessary changes, in an order in which none shifts the path of a later one, and
    the value after them. Changes that add the same parent become one. Raises as `changed` does."""
    first = started = value
    puts: list[Put] = []
    rest: list[Change] = []
    for change in in_order(changes):
        before, value = value, changed(value, change)
        if value is before:
            continue
        if isinstance(change, Put):
            puts.append(change)
            started = value
        else:
            rest.append(replace(change, path=reached(before, change)))
    tops = dict.fromkeys(_top(first, put_change.path) for put_change in puts)
    exact = {put_change.path for put_change in puts if put_change.as_written}
    return [*(Put(top, _at(started, top), top in exact) for top in tops), *rest], value


def reached(value: object, change: Change) -> Path:
    """Return the path that a change affects: for a drop that removes emptied parents, the highest
    of them."""
    path = change.path
    if isinstance(change, Drop) and change.emptied:
        while len(path) > 1 and len(_there(value, [*path[:-1]]) or ()) == 1:
            path = path[:-1]
    return path


def same(left: object, right: object) -> bool:
    """Return whether two plain values are equal; `1`, `1.0` and `true` differ."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def nested(steps: Path, value: Any) -> Any:
    """Return a value with its missing parents.

    Raises:
        NoFixError: an index other than the first of a list that is not there yet.
    """
    for step in reversed(steps):
        if isinstance(step, int) and step:
            raise NoFixError("a list cannot begin there")
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _top(value: Any, path: Path) -> Path:
    """Return a path up to its first step that is missing or null; the whole path if there is none."""
    for end in range(1, len(path)):
        value = value[path[end - 1]] if _has(value, path[end - 1]) else None
        if value is None:
            return path[:end]
    return path


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _rank(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def _rename(parent: Any, last: str | int, change: Rename) -> None:
    if not isinstance(last, str):
        raise NoFixError("an item has no key")
    if change.key in parent:
        raise NoFixError("the new key is there already")
    entries = [(change.key if key == last else key, item) for key, item in parent.items()]
    parent.clear()
    parent.update(entries)


def _made(value: Any, steps: list[str | int], last: str | int) -> Any:
    """Return the parent of the last step; missing and null parents are added, and existing ones
    copied."""
    for step, following in zip(steps, [*steps, last][1:], strict=True):
        _check(value, step)
        inner = value[step] if _has(value, step) else None
        if inner is None:
            inner = {} if isinstance(following, str) else []
        _set(value, step, copy.copy(inner))
        value = value[step]
    _check(value, last)
    return value


def _there(value: Any, steps: list[str | int]) -> Any:
    """Return the parent of the last step, or None."""
    for step in steps:
        if not _has(value, step):
            return None
        value = value[step]
    return value


def _set(holder: Any, step: str | int, value: Any) -> None:
    if isinstance(holder, list) and step == len(holder):
        holder.append(value)
    else:
        holder[step] = value


def _has(holder: Any, step: str | int) -> bool:
    if isinstance(step, str):
        return isinstance(holder, dict) and step in holder
    return isinstance(holder, list) and 0 <= step < len(holder)


def _check(holder: Any, step: str | int) -> None:
    """Check that a step exists, or can be added."""
    if isinstance(step, str):
        if not isinstance(holder, dict):
            raise NoFixError("not a mapping")
    elif not isinstance(holder, list) or not 0 <= step <= len(holder):
        raise NoFixError("not a list that is so long")
