"""A schema's limits of a value beyond its type: forms, lengths, bounds, unique items.

Imported with the first schema that has any.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from gpuspec.validation.bundle import Schema

_SIZES = {
    str: ("minLength", "maxLength"),
    list: ("minItems", "maxItems"),
    dict: ("minProperties", "maxProperties"),
    int: ("minimum", "maximum"),
    float: ("minimum", "maximum"),
}
# How the pattern of a quantity begins, wherever there is one.
_QUANTITY = "^(\\+|-)?(([0-9]+"

# An escaped character or a class of characters, which is left alone; or the end.
_END = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$")


class SchemaLimits:
    """The limits of one schema."""

    __slots__ = ("_pattern", "keys", "quantity", "schema", "unique")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.keys: dict[str, Any] | None = schema.get("uniqueBy")
        """The fields that identify a list's items, with their defaults."""
        self.unique = self.keys is not None or "uniqueItems" in schema
        """Whether a list's items must be unique."""
        self.quantity = schema.get("pattern", "").startswith(_QUANTITY)
        """Whether the value is a quantity."""
        self._pattern: str | None = schema.get("pattern")

    def broken(self, value: Any) -> str | None:
        """Return the keyword of the limit that a value of the right type violates, if any."""
        kind = type(value)
        if kind not in _SIZES:
            return None
        schema = self.schema
        size = value if kind in (int, float) else len(value)
        least, most = _SIZES[kind]
        if size < schema.get(least, size):
            return least
        if size > schema.get(most, size):
            return most
        if kind is str and self._pattern is not None and not _matches(self._pattern, value):
            return "pattern"
        if "among" in schema and value not in schema["among"]:
            return "among"
        return None

    def repeated(self, items: list[Any]) -> Iterator[int]:
        """Yield the items of a list that repeat an earlier one although they must be unique."""
        if len(items) < 2:  # as most lists have
            return
        items_seen = set()
        for index, item in enumerate(items):
            key = item
            if self.keys is not None:
                if not isinstance(item, dict):
                    continue  # of the wrong type, which is another fault
                key = self.key_of(item)
            # As text, because 1 and true are two things, and a list cannot be in a set.
            text = _text(key)
            if text in items_seen:
                yield index
            items_seen.add(text)

    def key_of(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return the identity of an item."""
        values = {
            name: default if item.get(name) is None else item[name]
            for name, default in (self.keys or {}).items()
        }
        return {name: value for name, value in values.items() if value is not None}


def _text(key: Any) -> str:
    if type(key) is dict and len(key) == 1:
        ((name, value),) = key.items()
        if type(value) is str:
            return f"{name} {value}"
    return json.dumps(key, sort_keys=True)


def _matches(pattern: str, value: str) -> bool:
    return _compiled(pattern).search(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Python's `$` matches in front of a last line's end too; the server's does not.
    return re.compile(_END.sub(lambda match: match[1] or r"\Z", pattern), re.ASCII)
