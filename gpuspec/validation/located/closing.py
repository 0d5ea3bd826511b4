"""From a CustomResourceDefinition to a JSON Schema that is closed as the API server closes it.

The files are for kubeconform and editors too, so keywords of OpenAPI are translated to JSON Schema:
integer-or-string and nullable become lists of types, `int32` gets bounds and `date-time` a pattern,
items of a set are unique, a map has no other fields unless the server keeps them, and `required`
omits fields with a default, which the server fills in first. Keywords of Kubernetes stay as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.numbers import INT32
from gpuspec.validation.bundle import load, newest

if TYPE_CHECKING:
    from gpuspec.validation.bundle import Schema

_METADATA = "#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_TEXT: dict[str, Any] = {"type": "string"}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]

# RFC 3339, as the server checks it; upper and lower case alike.
DATE_TIME = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]"
    r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)


def closed_kind(schema: Schema) -> Schema:
    """Return the schema of a kind's objects, from one version of its definition."""
    closed_schema = closed(schema)
    fields: dict[str, Any] = closed_schema.get("properties", {})
    properties = fields.get("metadata", {}).get("properties", {})
    metadata = _inlined({"$ref": _METADATA})
    for name in properties.keys() & metadata["properties"].keys():
        metadata["properties"][name] |= properties[name]
    own_fields = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": metadata}
    return {**closed_schema, "properties": {**fields, **own_fields}}


def closed(source: Schema) -> Schema:
    """Return a schema closed, with all its parts."""
    closed_schema = dict(source)
    types = _types(source)
    if types:
        closed_schema["type"] = types if len(types) > 1 else types[0]
    if "x-kubernetes-int-or-string" in source and source.get("anyOf") == _INT_OR_STRING:
        del closed_schema["anyOf"]
    match source.get("format"):
        case "int32":
            closed_schema["minimum"] = max(source.get("minimum", -INT32 - 1), -INT32 - 1)
            closed_schema["maximum"] = min(source.get("maximum", INT32), INT32)
        case "date-time" if "pattern" not in source:
            closed_schema["pattern"] = DATE_TIME
    if source.get("x-kubernetes-list-type") == "set":
        closed_schema["uniqueItems"] = True
    fields: dict[str, Any] = source.get("properties", {})
    if "properties" in source:
        closed_schema["properties"] = {name: closed(field) for name, field in fields.items()}
    if source.get("x-kubernetes-embedded-resource"):
        schema: Schema = {"apiVersion": {}, "kind": {}, "metadata": {}}
        closed_schema["properties"] = {**schema, **closed_schema.get("properties", {})}
    closed_schema.pop("required", None)
    defaulted = {name for name, field in fields.items() if "default" in field}
    if required := [name for name in source.get("required", ()) if name not in defaulted]:
        closed_schema["required"] = required
    for word in ("items", "additionalProperties"):
        if isinstance(source.get(word), dict):
            closed_schema[word] = closed(source[word])
    if _is_closed(source, types):
        closed_schema["additionalProperties"] = False
    return closed_schema


def _types(source: Schema) -> list[str]:
    types = ["integer", "string"] if source.get("x-kubernetes-int-or-string") else []
    types += [source["type"]] if "type" in source else []
    return [*types, "null"] if types and source.get("nullable") else types


def _is_closed(source: Schema, types: list[str]) -> bool:
    is_open = source.get("x-kubernetes-preserve-unknown-fields")
    return "object" in types and not is_open and "additionalProperties" not in source


def _inlined(schema: Any) -> Any:
    """Return a schema of the newest Kubernetes, without references."""
    if isinstance(schema, list):
        return [_inlined(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(load(newest()).definition(schema["$ref"]))
    # What a server's decoder asks of forms it asks of every kind's metadata.
    return {word: _inlined(item) for word, item in schema.items() if word != "format"}
