"""Whether settings meet conditions, and where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import items, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.products.model import Condition

_STEP = re.compile(r"\[([^\]]*)\]|\"([^\"]+)\"|([^.\[\]\"]+)")
Step = tuple[str, str]
"""The name of a list's item, or else a key."""


class Spot(msgspec.Struct, frozen=True):
    """A place of settings."""

    path: Path
    value: Any = None
    inside: Path | None = None
    """The path inside a value that is YAML as a text."""
    written: bool = True
    """Whether the setting is written there; otherwise the place where it would be."""


def met(condition: Condition, settings: dict[str, Any]) -> Spot | None:
    """Return where settings meet a condition; for an absent setting, the place where it would be.
    None if they do not meet it.
    """
    spots = [spot for path in condition.at for spot in _spots(settings, path)]
    written = [spot for spot in spots if spot.value is not None]
    if condition.denies:
        wrong = [spot for spot in written if _is_wrong(condition, spot.value)]
        return None if wrong else Spot(_plain(condition.at[0]), written=False)
    found = next((spot for spot in written if _is_right(condition, spot.value)), None)
    if found is None and not written and condition.default in condition.is_:
        return Spot(_plain(condition.at[0]), condition.default, written=False)
    return found


def _is_wrong(condition: Condition, value: object) -> bool:
    if condition.unlike:
        return re.search(condition.unlike, _shown(value)) is not None
    return value not in ("", [], {})


def _is_right(condition: Condition, value: object) -> bool:
    if condition.is_:
        # `1` is no `true`.
        return any(type(each) is type(value) and each == value for each in condition.is_)
    if condition.like:
        return re.search(condition.like, _shown(value)) is not None
    return value not in ("", [], {})


def _shown(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _plain(path: str) -> Path:
    """Return the path of an absent setting, as far as it can be named."""
    steps: list[str | int] = []
    for name, key in _read(path.partition("|")[0]):
        if name or key == "*":
            break
        steps.append(key)
    return tuple(steps)


def _read(path: str) -> list[Step]:
    return [(name, quoted or plain) for name, quoted, plain in _STEP.findall(path)]


def _spots(settings: dict[str, Any], path: str) -> Iterator[Spot]:
    outer, bar, inner = path.partition("|")
    for where, value in _walk(settings, _read(outer), ()):
        if not bar:
            yield Spot(where, value)
        else:
            for inside, found in _walk(_yaml(text(value)), _read(inner), ()):
                yield Spot(where, found, inside)


def _walk(value: Any, steps: list[Step], base: Path) -> Iterator[tuple[Path, Any]]:
    if not steps:
        yield base, value
        return
    (name, key), rest = steps[0], steps[1:]
    if name:
        for index, each in enumerate(items(value)):
            if isinstance(each, dict) and each.get("name") == name:
                yield from _walk(each, rest, (*base, index))
    elif key == "*":
        inner = value.items() if isinstance(value, dict) else enumerate(items(value))
        for step, each in inner:
            yield from _walk(each, rest, (*base, step))
    elif isinstance(value, dict) and key in value:
        yield from _walk(value[key], rest, (*base, key))


def _yaml(written: str) -> object:
    try:
        documents = read(written, "settings")
    except (InputError, ValueError):
        return None
    return documents[0].value if documents else None
