"""Objects with one thing changed; the rest is shared with the object that they come from."""

import json
from collections.abc import Iterator
from typing import Any

from gpuspec.manifests import Path

TWICE = "\x00twice"


def put(value: Any, path: Path, new: Any) -> Any:
    """With another value at a path, whose parent is there; a list's next index appends."""
    if not path:
        return new
    step, *rest = path
    copied = value.copy()
    if isinstance(copied, list) and step == len(copied):
        copied.append(new)
    else:
        copied[step] = put(value[step], tuple(rest), new) if rest else new
    return copied


def drop(value: Any, path: Path) -> Any:
    """Without what is at a path."""
    held = at(value, path[:-1]).copy()
    del held[path[-1]]
    return put(value, path[:-1], held)


def rename(value: Any, path: Path, key: str) -> Any:
    """With another key for what is at a path."""
    held = at(value, path[:-1])
    renamed = {key if name == path[-1] else name: below for name, below in held.items()}
    return put(value, path[:-1], renamed)


def twice(value: Any, path: Path) -> str:
    """As a text in which the key at a path stands twice."""
    found = json.dumps(put(value, (*path[:-1], TWICE), at(value, path)))
    return found.replace(json.dumps(TWICE), json.dumps(path[-1]))


def changes(before: Any, after: Any, path: Path = ()) -> Iterator[Path]:
    """Where two values differ, as deep as can be."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before | after:
            if key in before and key in after:
                yield from changes(before[key], after[key], (*path, key))
            else:
                yield (*path, key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from changes(*pair, (*path, index))
    elif type(before) is not type(after) or before != after:
        yield path


def at(value: Any, path: Path) -> Any:
    """What is at a path."""
    for step in path:
        value = value[step]
    return value
