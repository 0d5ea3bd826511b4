"""Whether what the server stores contains all that was sent."""

from collections.abc import Iterator
from typing import Any

# What identifies an item of a list, where items have it; other items by their position.
KEYS = ("name", "key", "containerPort", "mountPath", "port")


def lost(sent: Any, stored: Any, path: str = "") -> Iterator[str]:
    """The paths of what was sent and is not stored, with both values. What is added is fine."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key, value in sent.items():
            here = f"{path}.{key}" if path else key
            if key in stored:
                yield from lost(value, stored[key], here)
            else:
                yield f"{here}: {value!r} is gone"
    elif isinstance(sent, list) and isinstance(stored, list):
        yield from _items(sent, stored, path)
    elif not _same(sent, stored):
        yield f"{path}: {sent!r} became {stored!r}"


def _items(sent: list[Any], stored: list[Any], path: str) -> Iterator[str]:
    if len(stored) < len(sent):
        yield f"{path}: {len(sent)} items became {len(stored)}"
        return
    for index, value in enumerate(sent):
        yield from lost(value, _partner(value, index, stored), f"{path}[{index}]")


def _partner(value: Any, index: int, stored: list[Any]) -> Any:
    """The stored item that a sent one became: of equal key, else in the same position."""
    if isinstance(value, dict):
        for key in KEYS:
            if key in value:
                found = [s for s in stored if isinstance(s, dict) and s.get(key) == value[key]]
                if len(found) == 1:
                    return found[0]
    return stored[index]


def _same(sent: Any, stored: Any) -> bool:
    """Equal, of equal type: 1 is neither "1" nor true."""
    return type(sent) is type(stored) and bool(sent == stored)
