"""Schemas made ready for walking beside an object: what a value may be, and what is in it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.validation.bundle import Bundle, Kind, Schema

if TYPE_CHECKING:
    from gpuspec.validation.limits import Limits

JSON_TYPES: dict[str, frozenset[type]] = {
    "array": frozenset({list}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "null": frozenset({type(None)}),
    "number": frozenset({int, float}),
    "object": frozenset({dict}),
    "string": frozenset({str}),
}
_ANY = frozenset[type]().union(*JSON_TYPES.values())
_HOLDERS = frozenset({dict, list})
_LIMITS = frozenset({"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems"})
_LIMITS |= {"maxItems", "minProperties", "maxProperties", "uniqueItems", "uniqueBy"}


class Node:
    """One schema.

    It knows the keywords of the bundles and no more; the script that makes the bundles stops at
    others. The nodes of fields are made when somebody asks for the field: most never are, and
    every definition that refers to itself does so through a field.
    """

    __slots__ = (
        "_bundle",
        "_fields",
        "allowed",
        "closed",
        "drops_null",
        "items",
        "limits",
        "others",
        "plain",
        "required",
        "schemas",
        "types",
    )

    def __init__(self, bundle: Bundle, schema: Schema) -> None:
        self._bundle = bundle
        self._fields: dict[str, Node] = {}
        self.types = _types(schema)
        """The Python types of the values that are right."""
        self.allowed: list[Any] | None = schema.get("enum")
        """The only values that are right, if they are counted out."""
        self.schemas: dict[str, Schema] = schema.get("properties", {})
        """The known fields of a map."""
        self.required: list[str] = schema.get("required", [])
        others = schema.get("additionalProperties", True)
        self.closed = others is False
        """Whether a map must not have other fields than the known ones."""
        self.others = _node(bundle, others) if isinstance(others, dict) else None
        """What the fields that are not known by name must be; None: anything."""
        self.items = _node(bundle, schema["items"]) if "items" in schema else None
        """What the items of a list must be; None: anything."""
        self.drops_null = bundle.drops_nulls and type(None) not in self.types
        """Whether a field of this schema that is null is as good as none."""
        self.limits = _limits(schema)
        """What else a value must keep to; None: nothing."""
        free = self.allowed is None and self.limits is None
        self.plain = self.types - _HOLDERS if free else frozenset[type]()
        """The Python types of the values of which nothing more is asked."""

    def drops_null_of(self, name: str) -> bool:
        """Whether a field that is null is as good as none."""
        field = self.field(name)
        return field is not None and field.drops_null

    def field(self, name: str) -> Node | None:
        """What a field must be; None if that is not said (look at `closed`)."""
        node = self._fields.get(name)
        if node is None:
            schema = self.schemas.get(name)
            if schema is None:
                return self.others
            node = self._fields[name] = _node(self._bundle, schema)
        return node


@cache
def root(bundle: Bundle, kind: Kind) -> Node:
    """The node of a kind's objects. Raises KeyError for a kind that has no schema."""
    return Node(bundle, bundle.root(kind))


def _node(bundle: Bundle, schema: Schema) -> Node:
    reference = schema.get("$ref")
    return Node(bundle, schema) if reference is None else _definition(bundle, reference)


@cache
def _definition(bundle: Bundle, reference: str) -> Node:
    return Node(bundle, bundle.definition(reference))


def _limits(schema: Schema) -> Limits | None:
    if _LIMITS.isdisjoint(schema):
        return None
    from gpuspec.validation.limits import Limits

    return Limits(schema)


def _types(schema: Schema) -> frozenset[type]:
    if "oneOf" in schema:
        # The branches name types and nothing else. Right is what exactly one of them takes, so
        # null, which Kubernetes' integer-or-string and quantity have in both, is not.
        branches = [_types(branch) for branch in schema["oneOf"]]
        return frozenset(kind for kind in _ANY if sum(kind in types for types in branches) == 1)
    names = schema.get("type")
    if names is None:
        return _ANY
    if isinstance(names, str):
        return JSON_TYPES[names]
    return frozenset[type]().union(*(JSON_TYPES[name] for name in names))
