"""Fields as the API server writes them, as paths of an object."""

import re

from gpuspec.manifests import Path

ANY = "[*]"
"""The step of a path that stands for any one: an item that the server does not tell."""
_NAMELESS = "[]"
"""How Go writes a path whose only step has no name: the object as a whole."""
_TEMPLATE = re.compile(r"\.(labels|annotations)\b")
_INDEX = re.compile(r"\[(\d+)\]")
_KEY = re.compile(r"\[([^\]]*)\]")
_NAME = re.compile(r"\.?([^.\[]+)")


def path_of(field: str, value: object) -> Path:
    """The path that a field of an object is.

    The server puts keys of maps in brackets or behind a dot, without quotes, so the object says
    where a key ends. What the object does not have is read as words. What the server leaves out is
    left out: its decoder gives lists no index, and the path ends at the list. Labels and annotations
    of a pod template it names without the metadata that they are in.
    """
    if field == _NAMELESS:
        return ()
    steps: list[str | int] = []
    while field:
        if isinstance(value, dict) and _TEMPLATE.match(field) and steps and "metadata" in value:
            field = f".metadata{field}"
        if isinstance(value, dict) and (key := _longest(field, value)) is not None:
            field = field[len(key) + (2 if field[0] == "[" else field[0] == ".") :]
            steps.append(key)
            value = value[key]
            continue
        if field.startswith(ANY):
            steps.append(ANY)
            field, value = field[len(ANY) :], None
            continue
        if match := _INDEX.match(field):
            index = int(match[1])
            steps.append(index)
            value = value[index] if isinstance(value, list) and index < len(value) else None
        elif isinstance(value, list) or not (match := _KEY.match(field) or _NAME.match(field)):
            break
        else:
            steps.append(match[1])
            value = None
        field = field[match.end() :]
    return tuple(steps)


def _longest(field: str, value: dict[str, object]) -> str | None:
    """The longest key that the field goes on with."""
    found = [key for key in value if _begins(field, key)]
    return max(found, key=len, default=None)


def _begins(field: str, key: str) -> bool:
    if field[0] == "[":
        return field.startswith(f"[{key}]")
    bare = field.removeprefix(".")
    return bare.startswith(key) and (bare[len(key) :] == "" or bare[len(key)] in ".[")
