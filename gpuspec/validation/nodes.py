"""Schemas prepared for a walk along an object: the valid values, and their contents."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.numbers import INT32, INT64
from gpuspec.validation.bundle import Bundle, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.beyond import Beyond
    from gpuspec.validation.limits import SchemaLimits

JSON_TYPES: dict[str, frozenset[type]] = {
    "array": frozenset({list}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "null": frozenset({type(None)}),
    "number": frozenset({int, float}),
    "object": frozenset({dict}),
    "string": frozenset({str}),
}
_NOTHING: dict[str, Any] = {}
_WHOLE = frozenset({"integer", "null"})
_ANY = frozenset[type]().union(*JSON_TYPES.values())
_HOLDERS = frozenset({dict, list})
LIMITS = frozenset({"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems"})
LIMITS |= {"maxItems", "minProperties", "maxProperties", "uniqueItems", "uniqueBy", "among"}
"""The keywords whose limits a value may violate: JSON Schema's, and two of the server's tables."""
_BYTE = "[A-Za-z0-9+/][\\r\\n]*"
FORMATS: dict[str, Schema] = {
    "byte": {
        "pattern": f"^[\\r\\n]*(({_BYTE}){{4}})*(({_BYTE}){{2}}=[\\r\\n]*=|({_BYTE}){{3}}=)?[\\r\\n]*$",
        "noun": "text in base64",
    },
    "int32": {"minimum": -INT32 - 1, "maximum": INT32},
    "int64": {"minimum": -INT64 - 1, "maximum": INT64},
}
"""The values that the server's decoder accepts for Kubernetes' own formats."""

_DECODED = frozenset(
    f"io.k8s.apimachinery.pkg.{name}"
    for name in (
        "api.resource.Quantity",
        "apis.meta.v1.MicroTime",
        "apis.meta.v1.Time",
        "util.intstr.IntOrString",
    )
)
"""The definitions whose forms are checked by a decoder."""


class SchemaNode:
    """One schema.

    It knows only the keywords of the bundles; the script that makes the bundles stops at others.
    The nodes of fields are made on first use: most are never needed, and every definition that
    refers to itself does so through a field.
    """

    __slots__ = (
        "_bundle",
        "_fields",
        "_more",
        "allowed",
        "beyond",
        "closed",
        "default",
        "drops_null",
        "items",
        "keys",
        "leads",
        "limits",
        "others",
        "plain",
        "refuses",
        "required",
        "schemas",
        "types",
        "ways",
    )

    def __init__(
        self, bundle: Bundle, schema: Schema, name: str = "", more: Schema | None = None
    ) -> None:
        """Take the `name` of the definition that the schema is; in `more`, the server's checks
        on the field with this schema, in addition to those of the definition."""
        self._bundle = bundle
        self._fields: dict[str, SchemaNode] = {}
        self._more = _more(bundle, schema, name, more)
        self.types = _types(schema)
        """The Python types of the valid values."""
        self.allowed: list[Any] | None = schema.get("enum")
        """The only valid values, if they are listed."""
        self.default: Any = schema.get("default")
        """The server's default for a custom kind; None if there is none."""
        self.schemas: dict[str, Schema] = schema.get("properties", {})
        """The known fields of a map."""
        self.required: list[str] = schema.get("required", [])
        others = schema.get("additionalProperties", True)
        self.closed = others is False
        """Whether a map must not have other fields than the known ones."""
        self.others = (
            _node(bundle, others, self._more.get("values")) if isinstance(others, dict) else None
        )
        """What the fields without a known name must be; None: anything."""
        self.items = (
            _node(bundle, schema["items"], self._more.get("items")) if "items" in schema else None
        )
        """What the items of a list must be; None: anything."""
        self.drops_null = bundle.drops_nulls and type(None) not in self.types
        """Whether a null field of this schema counts as absent."""
        schema = _bounded(schema) if bundle.drops_nulls else schema
        self.limits = _limits({**schema, **self._more} if self._more else schema)
        """The limits of a value; None: none."""
        self.refuses = self._more.keys()
        """The limits of the server or an operator, in addition to the schema's own."""
        self.keys = _keys(self._more)
        """The limits of the names of a map's fields; None: none."""
        self.beyond = _beyond(bundle, name, self._more)
        """The server's further checks of a map; None: none."""
        self.leads: bool | None = None
        """Whether the compiled schema leaves a check of the value to the walk; None: unknown."""
        self.ways: list[tuple[str, SchemaNode]] | None = None
        """The fields in which it does; None: unknown."""
        free = self.allowed is None and self.limits is None
        self.plain = self.types - _HOLDERS if free else frozenset[type]()
        """The Python types of values without further checks."""

    def drops_null_of(self, name: str) -> bool:
        """Return whether a null field counts as absent."""
        field = self.field(name)
        return field is not None and field.drops_null

    def field(self, name: str) -> SchemaNode | None:
        """Return the node of a field; None if it is not defined (see `closed`)."""
        node = self._fields.get(name)
        if node is None:
            schema = self.schemas.get(name)
            if schema is None:
                return self.others
            more = self._more.get("properties", _NOTHING).get(name)
            node = self._fields[name] = _node(self._bundle, schema, more)
        return node

    def inner(self) -> Iterator[SchemaNode]:
        """Yield the nodes of everything that a value may contain."""
        for node in (self.items, self.others, *map(self.field, self.schemas)):
            if node is not None:
                yield node


@cache
def root(bundle: Bundle, kind: Kind) -> SchemaNode:
    """Return the node of a kind's objects. Raises KeyError for a kind without a schema."""
    return SchemaNode(bundle, bundle.root(kind), type_of(kind), bundle.more_of(kind))


def node_of(bundle: Bundle, schema: Schema) -> SchemaNode:
    """Return the node of a schema or of a reference to a definition."""
    return _node(bundle, schema)


def type_of(kind: Kind) -> str:
    """Return the name of the definition of Kubernetes' own kind."""
    group, _, version = kind[0].rpartition("/")
    return f"io.k8s.api.{group.partition('.')[0] or 'core'}.{version}.{kind[1]}"


def _node(bundle: Bundle, schema: Schema, more: Schema | None = None) -> SchemaNode:
    if more is not None and "unasked" in more:
        bundle, more = _unasked(bundle), None
    reference = schema.get("$ref")
    if reference is None:
        return SchemaNode(bundle, schema, more=more)
    if more is None:
        return _definition(bundle, reference)
    return SchemaNode(bundle, bundle.definition(reference), _name(reference), more)


@cache
def _unasked(bundle: Bundle) -> Bundle:
    """Return the same schemas, limited to what the server can decode."""
    bundle_copy = copy(bundle)
    if bundle.beyond is not None:
        bundle_copy.beyond = bundle.beyond.only(_DECODED)
    return bundle_copy


@cache
def _definition(bundle: Bundle, reference: str) -> SchemaNode:
    return SchemaNode(bundle, bundle.definition(reference), _name(reference))


def _more(bundle: Bundle, schema: Schema, name: str, more: Schema | None) -> Schema:
    if bundle.beyond is None:
        return _NOTHING
    requirements = bundle.more(name, more) if name or more else _NOTHING
    form = FORMATS.get(schema.get("format", ""))
    return {**form, **requirements} if form else requirements


def _bounded(schema: Schema) -> Schema:
    """Return a custom kind's schema, with the bounds of an integer: a server reads a larger one as
    a float, which is the wrong type.
    """
    kind = schema.get("type", ())
    if kind != "integer" and ("integer" not in kind or not _WHOLE.issuperset(kind)):
        return schema
    return {**FORMATS["int64"], **schema}


def _name(reference: str) -> str:
    return reference.removeprefix("#/$defs/")


def _keys(more: Schema) -> SchemaLimits | None:
    return _limits(more["keys"]) if "keys" in more else None


def _beyond(bundle: Bundle, name: str, more: Schema) -> Beyond | None:
    if bundle.beyond is None or bundle.beyond.is_part or not (name or more):
        return None
    from gpuspec.validation.beyond import beyond

    return beyond(bundle, more.get("like", name), more)


def _limits(schema: Schema) -> SchemaLimits | None:
    if LIMITS.isdisjoint(schema):
        return None
    from gpuspec.validation.limits import SchemaLimits

    return SchemaLimits(schema)


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
