"""The rules in CEL of a CustomResourceDefinition, which a server compiles when it is created.

Source: k8s.io/apiserver 1.37, pkg/cel/common/schemas.go. The cost of a rule is not estimated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.cel.types import BOOL, DYN, INT, STRING, CelType
from gpuspec.validation.cel.data import spellings
from gpuspec.validation.cel.expressions import judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.violation import SchemaViolation

    Schema = dict[str, Any]

_FORMATS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
_SIMPLE = {"boolean": BOOL, "number": CelType("double"), "integer": INT}
_NAMES = {"name": STRING, "generateName": STRING}
_RULES = "x-kubernetes-validations"


def of_definition(spec: Schema) -> Iterator[SchemaViolation]:
    """Yield the faults in the rules of a definition."""
    for index, version in enumerate(spec.get("versions") or ()):
        schema = ((version or {}).get("schema") or {}).get("openAPIV3Schema")
        if isinstance(schema, dict):
            path = ("versions", index, "schema", "openAPIV3Schema")
            yield from _walk(schema, path, {}, is_object=True)


def _walk(
    schema: Schema, path: Path, cel_types: dict[int, CelType | None], *, is_object: bool
) -> Iterator[SchemaViolation]:
    rules = schema.get(_RULES)
    if isinstance(rules, list) and (kind := _kind(schema, cel_types, is_object=is_object)):
        for index, rule in enumerate(rules):
            if isinstance(rule, dict):
                yield from _ruled(rule, (*path, _RULES, index), kind)
    for name, field_schema in _fields(schema).items():
        yield from _walk(
            field_schema, (*path, "properties", name), cel_types, is_object=_embeds(field_schema)
        )
    for keyword in ("items", "additionalProperties"):
        inner = schema.get(keyword)
        if isinstance(inner, dict):
            yield from _walk(inner, (*path, keyword), cel_types, is_object=_embeds(inner))


def _ruled(rule: Schema, path: Path, kind: CelType) -> Iterator[SchemaViolation]:
    before = CelType("optional_type", (kind,)) if rule.get("optionalOldSelf") else kind
    scope = {"self": kind, "oldSelf": before}
    yield from judged(rule, "rule", scope, ("bool",), at=path)[0]
    yield from judged(rule, "messageExpression", scope, ("string",), at=path)[0]


def _fields(schema: Schema) -> dict[str, Schema]:
    properties = schema.get("properties") or {}
    return {
        name: field_schema
        for name, field_schema in properties.items()
        if isinstance(field_schema, dict)
    }


def _embeds(schema: Schema) -> bool:
    return bool(schema.get("x-kubernetes-embedded-resource"))


def _kind(
    schema: Schema, cel_types: dict[int, CelType | None], *, is_object: bool = False
) -> CelType | None:
    """Return the type that a schema describes; None for a value that no rule can see."""
    if id(schema) not in cel_types:
        cel_types[id(schema)] = _made(schema, cel_types, is_object=is_object)
    return cel_types[id(schema)]


def _made(
    schema: Schema, cel_types: dict[int, CelType | None], *, is_object: bool
) -> CelType | None:
    if schema.get("x-kubernetes-int-or-string"):
        return DYN
    name = schema.get("type")
    if name == "string":
        return CelType(_FORMATS.get(str(schema.get("format")), "string"))
    if name == "array":
        items = schema.get("items")
        inner = (
            _kind(items, cel_types, is_object=_embeds(items)) if isinstance(items, dict) else None
        )
        return inner and CelType("list", (inner,))
    if name != "object":
        return _SIMPLE.get(str(name))
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        inner = _kind(others, cel_types, is_object=_embeds(others))
        return inner and CelType("map", (STRING, inner))
    kinds = {
        name: _kind(field_schema, cel_types, is_object=_embeds(field_schema))
        for name, field_schema in _fields(schema).items()
    }
    fields = {
        word: kind for name, kind in kinds.items() if kind is not None for word in spellings(name)
    }
    if is_object:
        metadata_fields = fields.get("metadata", DYN).fields or {}
        metadata = CelType("object", fields={**metadata_fields, **_NAMES})
        fields |= {"apiVersion": STRING, "kind": STRING, "metadata": metadata}
    return CelType("object", fields=fields)
