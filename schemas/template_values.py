"""What the pipelines of a template may result in, as far as the values of a release decide it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Place = tuple[str, ...]
"""A place of the values: the keys that lead to it, and `*` for any key or item."""
_DEEPEST = 6


class Map:
    """A mapping that a template makes."""

    def __init__(self, entries: dict[str, Value]) -> None:
        self.entries = entries
        self.more: Value = NOTHING
        """What was merged into it, or set under keys that are not known."""

    def key(self, depth: int = 0) -> object:
        """Return what distinguishes it now."""
        if depth > _DEEPEST:
            return "deep"
        entries = frozenset((name, value.key(depth + 1)) for name, value in self.entries.items())
        return entries, self.more.key(depth + 1)


@dataclass(frozen=True)
class Value:
    """What a pipeline may result in: places of values, the context of templates, constants."""

    places: frozenset[Place] = frozenset()
    root: bool = False
    constants: frozenset[str] = frozenset()
    maps: tuple[Map, ...] = ()
    item: Value | None = None
    """The items, if it is a list that the template makes."""
    serial: Value | None = None
    """What it is the text of."""

    def key(self, depth: int = 0) -> object:
        """Return what distinguishes it now."""
        if depth > _DEEPEST:
            return "deep"
        return (
            self.places,
            self.root,
            self.constants,
            frozenset(one.key(depth + 1) for one in self.maps),
            None if self.item is None else self.item.key(depth + 1),
            None if self.serial is None else self.serial.key(depth + 1),
        )


NOTHING = Value()
ROOT = Value(root=True)


def union(values: Iterable[Value]) -> Value:
    """Return what is any of some values."""
    many = [value for value in values if value is not NOTHING and value != NOTHING]
    if len(many) <= 1:
        return many[0] if many else NOTHING
    items = [value.item for value in many if value.item is not None]
    serials = [value.serial for value in many if value.serial is not None]
    maps: dict[int, Map] = {id(one): one for value in many for one in value.maps}
    return Value(
        frozenset().union(*(value.places for value in many)),
        any(value.root for value in many),
        frozenset().union(*(value.constants for value in many)),
        tuple(maps.values()),
        union(items) if items else None,
        union(serials) if serials else None,
    )


class Scope:
    """Variables, with those of the blocks around."""

    def __init__(self, values: dict[str, Value], outer: Scope | None = None) -> None:
        self.values = values
        self._outer = outer

    def get(self, name: str) -> Value:
        """Return what a variable holds."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope._outer
        return NOTHING

    def assign(self, name: str, value: Value) -> None:
        """Add a value to a variable where it was declared: the branch may not be taken."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                scope.values[name] = union([scope.values[name], value])
                return
            scope = scope._outer
        self.values[name] = value
