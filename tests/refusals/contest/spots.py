"""Where an object can be changed: every field that it has, and every one that its schema has."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gpuspec.manifests import Path
from gpuspec.validation.bundle import Bundle, Schema

# What an object is, is not mutated: it would be another object. What a server drops, says nothing.
LEFT_OUT = {("apiVersion",), ("kind",), ("status",)}


class Spot(NamedTuple):
    """A place in an object."""

    path: Path
    schema: Schema
    """What may stand there; references are resolved."""
    value: Any
    """What stands there."""
    there: bool
    """Whether anything does."""


def resolved(bundle: Bundle, schema: Schema) -> Schema:
    """The schema that a schema refers to, or itself."""
    return bundle.definition(schema["$ref"]) if "$ref" in schema else schema


def spots(bundle: Bundle, schema: Schema, value: Any, path: Path = ()) -> Iterator[Spot]:
    """All of a value, its parts before what is around them lacks, in the order of the object."""
    schema = resolved(bundle, schema)
    if path:
        yield Spot(path, schema, value, True)
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        others = schema.get("additionalProperties")
        for name, held in value.items():
            below = fields.get(name, others if isinstance(others, dict) else {})
            if (*path, name) not in LEFT_OUT:
                yield from spots(bundle, below, held, (*path, name))
        for name, below in fields.items():
            if name not in value and (*path, name) not in LEFT_OUT:
                yield Spot((*path, name), resolved(bundle, below), None, False)
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from spots(bundle, schema.get("items", {}), held, (*path, index))
