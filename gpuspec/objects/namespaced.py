"""An index of things by a key, such as a name or a label, and by their namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

_T = TypeVar("_T")
_Placed = list[tuple[int, _T]]


class NamespacedIndex(Generic[_T]):
    """Things by key and namespace, in the order in which they were added.

    A thing without a namespace can be in any. A lookup takes constant time, however many namespaces
    there are.
    """

    def __init__(self, things: Iterable[tuple[Hashable, str, _T]]) -> None:
        """Take the objects, each with its key and its namespace."""
        self._keys: dict[Hashable, dict[str, _Placed[_T]]] = {}
        self._found: dict[tuple[Hashable, str], list[_T]] = {}
        for at, (key, namespace, thing) in enumerate(things):
            self._keys.setdefault(key, {}).setdefault(namespace, []).append((at, thing))

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self._keys)

    def at(self, key: Hashable, namespace: str) -> list[_T]:
        """Return the things with this key that can be in this namespace; an empty namespace matches
        any. Do not change the list."""
        things = self._found.get((key, namespace))
        if things is None:
            placed = sorted(
                (placed_thing for some in self._some(key, namespace) for placed_thing in some),
                key=lambda placed_thing: placed_thing[0],
            )
            things = self._found[key, namespace] = [thing for _, thing in placed]
        return things

    def first(self, key: Hashable, namespace: str) -> _T | None:
        """Return the first thing with this key that can be in this namespace."""
        some = [placed[0] for placed in self._some(key, namespace)]
        return min(some, key=lambda placed_thing: placed_thing[0])[1] if some else None

    def count(self, key: Hashable, namespace: str) -> int:
        """Return how many things with this key can be in this namespace."""
        return sum(map(len, self._some(key, namespace)))

    def _some(self, key: Hashable, namespace: str) -> list[_Placed[_T]]:
        places = self._keys.get(key, {})
        if not namespace:
            return list(places.values())
        return [places[place] for place in (namespace, "") if place in places]
