"""Objects as the rules of their definitions see them.

Before its rules run, a server fills in defaults, and drops null where a field may not be null. This
module leaves the object as it is, and applies both when a rule reads a field.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.cel import times
from gpuspec.cel.tokens import RESERVED
from gpuspec.cel.values import MISSING, CelObject, Unordered
from gpuspec.numbers import inexact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.bundle import Bundle, Schema

_NO_FIELDS: dict[str, Any] = {}
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


class DataSchema:
    """A schema of a definition, as far as its rules need it."""

    __slots__ = ("_bundle", "_fields", "_names", "_rests", "_ways", "leads", "nullable", "schema")

    def __init__(self, bundle: Bundle, schema: Schema) -> None:
        while "$ref" in schema:
            schema = bundle.definition(schema["$ref"])
        self._bundle = bundle
        self.schema = schema
        self.nullable = "null" in schema.get("type", ())
        """Whether null is a valid value."""
        self._fields: dict[str, DataSchema] = {}
        self._rests: dict[str, DataSchema] = {}
        self._names: dict[str, str] | None = None
        self._ways: list[tuple[str, DataSchema]] | None = None
        self.leads: bool = bool(self.rules) or any(
            data_schema.leads for data_schema in self._inner()
        )
        """Whether values of this schema have rules inside."""

    @property
    def rules(self) -> list[dict[str, str]]:
        """The rules of a value itself."""
        schema_rules: list[dict[str, str]] = self.schema.get("rules", [])
        return schema_rules

    def field(self, name: str) -> DataSchema | None:
        """Return the shape of a field that the schema names."""
        if name not in self._fields and name in self.schema.get("properties", _NO_FIELDS):
            self._fields[name] = DataSchema(self._bundle, self.schema["properties"][name])
        return self._fields.get(name)

    def rest(self, keyword: str) -> DataSchema | None:
        """Return the shape of a list's `items`, or of a map's values, its
        `additionalProperties`."""
        if keyword not in self._rests and isinstance(self.schema.get(keyword), dict):
            self._rests[keyword] = DataSchema(self._bundle, self.schema[keyword])
        return self._rests.get(keyword)

    def named(self, name: str) -> str | None:
        """Return the field that a rule names: `__dot__` is a dot."""
        if self._names is None:
            fields = self.schema.get("properties", _NO_FIELDS)
            self._names = {name: field for field in fields for name in spellings(field)}
        return self._names.get(name)

    def ways(self) -> list[tuple[str, DataSchema]]:
        """Return the fields that lead to rules."""
        if self._ways is None:
            fields = (
                (name, self.field(name)) for name in self.schema.get("properties", _NO_FIELDS)
            )
            self._ways = [
                (name, data_schema)
                for name, data_schema in fields
                if data_schema is not None and data_schema.leads
            ]
        return self._ways

    def _inner(self) -> Iterator[DataSchema]:
        for name in self.schema.get("properties", _NO_FIELDS):
            yield self.field(name)  # type: ignore[misc]
        for keyword in ("items", "additionalProperties"):
            if (data_schema := self.rest(keyword)) is not None:
                yield data_schema


class Fields(CelObject):
    """An object whose fields its schema names."""

    __slots__ = ("_shape", "_value")

    def __init__(self, value: dict[str, Any], shape: DataSchema) -> None:
        self._value = value
        self._shape = shape

    def get(self, name: str) -> Any:
        """Return a field's value; `MISSING` if it is absent."""
        real = self._shape.named(name)
        if real is None:
            return MISSING
        shape = self._shape.field(real)
        assert shape is not None
        field_value = there(self._value, real, shape)
        return MISSING if field_value is None else seen(field_value, shape)

    def plain(self) -> dict[str, Any]:
        """Return the fields that are there."""
        names = map(escaped, self._shape.schema["properties"])
        fields = {name: self.get(name) for name in names}
        return {name: value for name, value in fields.items() if value is not MISSING}


def there(value: dict[str, Any], name: str, shape: DataSchema) -> Any:
    """Return a field's effective value: its value, its default, or None."""
    field_value = value.get(name)
    if field_value is None and (name not in value or not shape.nullable):
        return shape.schema.get("default")
    return field_value


def kept(value: dict[str, Any], shape: DataSchema) -> dict[str, Any]:
    """Return the entries of a map that a server keeps."""
    return {
        name: field_value
        for name, field_value in value.items()
        if field_value is not None or shape.nullable
    }


def seen(value: Any, shape: DataSchema) -> Any:
    """Return a value as a rule sees it."""
    kind = type(value)
    if kind is dict:
        if "properties" in shape.schema:
            return Fields(value, shape)
        others = shape.rest("additionalProperties")
        if others is None:
            return value
        return {
            name: seen(field_value, others) for name, field_value in kept(value, others).items()
        }
    if kind is list:
        items = shape.rest("items")
        decoded = value if items is None else [seen(item, items) for item in value]
        has_no_order = "uniqueItems" in shape.schema or "uniqueBy" in shape.schema
        return Unordered(decoded) if has_no_order else decoded
    if kind is str and shape.schema.get("format") == "date-time":
        return times.timestamp(value)
    if kind is int and shape.schema.get("type") == "number":
        return inexact(value)
    return math.trunc(value) if kind is float and shape.schema.get("type") == "integer" else value


@cache
def escaped(name: str) -> str:
    """Return a field in the spelling that every rule can use."""
    if name in RESERVED:
        return f"__{name}__"
    return re.sub(r"__|[-./]", lambda match: _ESCAPES[match.group()], name)


def spellings(name: str) -> tuple[str, ...]:
    """Return a field in all spellings that a rule can use: newer servers accept reserved words
    unescaped.
    """
    return (escaped(name), name) if name in RESERVED else (escaped(name),)
