"""Check whether settings meet conditions, and at which paths."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import items, text
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.manifests import Path
    from gpuspec.products.model import Condition

_STEP = re.compile(r"\[([^\]]*)\]|'([^']*)'|([^.\[\]']+)")


class Spot(msgspec.Struct, frozen=True):
    """A place in settings."""

    path: Path
    value: Any = None
    inside: Path | None = None
    """The path inside a value that is YAML as a text."""
    written: bool = True
    """Whether the setting is written there; otherwise the place where it would be."""


def met(
    condition: Condition, settings: dict[str, Any], releases: Mapping[str, str] | None = None
) -> Spot | None:
    """Return where settings meet a condition; for an absent setting, the place where it would be.
    None if they do not meet it. `releases`: those that a chart gives to absent settings."""
    spots = [spot for path in condition.at for spot in _spots(settings, path)]
    set_spots = [spot for spot in spots if spot.value is not None]
    if condition.denies:
        wrong = [spot for spot in set_spots if _is_wrong(condition, spot.value)]
        return None if wrong else Spot(_plain(condition.at[0]), written=False)
    right_spot = next((spot for spot in set_spots if _is_right(condition, spot.value)), None)
    if right_spot is None and not set_spots:
        assumed = condition.default
        if assumed is None and condition.is_of_release:
            assumed = (releases or {}).get(condition.at[0])
        if assumed is not None and _is_right(condition, assumed):
            return Spot(_plain(condition.at[0]), assumed, written=False)
    return right_spot


def scopes(paths: tuple[str, ...], settings: dict[str, Any]) -> Iterator[Spot]:
    """Yield the mappings at some paths; all settings if there is no path."""
    if not paths:
        yield Spot((), settings)
    for path in paths:
        for spot in _spots(settings, path):
            if isinstance(spot.value, dict):
                yield spot


def within(scope: Spot, spot: Spot) -> Spot:
    """Return a spot of a scope as a spot of all settings."""
    if scope.inside is None:
        return msgspec.structs.replace(spot, path=(*scope.path, *spot.path))
    return msgspec.structs.replace(spot, path=scope.path, inside=(*scope.inside, *spot.path))


def _is_wrong(condition: Condition, value: object) -> bool:
    if condition.unlike:
        return re.search(condition.unlike, _shown(value)) is not None
    return value not in ("", [], {})


def _is_right(condition: Condition, value: object) -> bool:
    if condition.is_:
        # `1` is no `true`.
        return any(
            type(accepted) is type(value) and accepted == value for accepted in condition.is_
        )
    if condition.like:
        return re.search(condition.like, _shown(value)) is not None
    if condition.is_of_release:
        return _is_between(read_version(_shown(value)), condition)
    if condition.entries:
        return isinstance(value, dict | list) and len(value) >= condition.entries
    return value not in ("", [], {})


def _is_between(release: tuple[int, ...], condition: Condition) -> bool:
    """Return whether a release is in a condition's range. A branch, such as 570, is in none that
    begins or ends within it."""
    oldest, end = read_version(condition.from_), read_version(condition.below)
    is_branch = bool(release) and end[: len(release)] == release
    return bool(release) and release >= oldest and (not end or (release < end and not is_branch))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _plain(path: str) -> Path:
    """Return the path of an absent setting, as far as it can be named."""
    steps: list[str | int] = []
    for name, key in _read_steps(path.partition("|")[0]):
        if name or key == "*":
            break
        steps.append(key)
    return tuple(steps)


def _spots(settings: dict[str, Any], path: str) -> Iterator[Spot]:
    outer, bar, inner = path.partition("|")
    for where, value in _walk(settings, _read_steps(outer), ()):
        if not bar:
            yield Spot(where, value)
        else:
            for inside, inner_value in _walk(_yaml(text(value)), _read_steps(inner), ()):
                yield Spot(where, inner_value, inside)


def _read_steps(path: str) -> list[tuple[str, str]]:
    """Return the steps of a path: the name of a list's item, or a key."""
    return [(name, quoted or key) for name, quoted, key in _STEP.findall(path)]


def _walk(value: Any, steps: list[tuple[str, str]], base: Path) -> Iterator[tuple[Path, Any]]:
    if not steps:
        yield base, value
        return
    (name, key), rest = steps[0], steps[1:]
    if name:
        for index, child in enumerate(items(value)):
            if isinstance(child, dict) and child.get("name") == name:
                yield from _walk(child, rest, (*base, index))
    elif key == "*":
        inner = value.items() if isinstance(value, dict) else enumerate(items(value))
        for step, child in inner:
            yield from _walk(child, rest, (*base, step))
    elif isinstance(value, dict) and key in value:
        yield from _walk(value[key], rest, (*base, key))


@lru_cache(maxsize=64)
def _yaml(content: str) -> object:
    try:
        documents = read(content, "settings")
    except (InputError, ValueError):
        return None
    return documents[0].value if documents else None
