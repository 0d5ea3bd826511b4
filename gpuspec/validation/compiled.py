"""The verdict on many objects: schemas compiled by jsonschema-rs."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from gpuspec.validation.bundle import Kind, Schema, load
from gpuspec.validation.nodes import FORMATS, type_of

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_PLAIN: tuple[str, ...] = (
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
)
_PLAIN += ("minProperties", "maxProperties", "uniqueItems")
_INSIDE = {"items": "items", "keys": "propertyNames", "values": "additionalProperties"}


def is_valid(kubernetes: str, kind: Kind, value: object) -> bool:
    """Whether a plain value is surely what the kind's schema and the API server allow, but for what
    is left to `walk.left`.

    Raises:
        KeyError: the kind has no schema.
    """
    return _validator(kubernetes, kind).is_valid(value)


@cache
def _validator(kubernetes: str, kind: Kind) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    bundle = load(kubernetes)
    schema = bundle.closed(kind)
    if bundle.beyond is not None:
        schema = _decoded(schema)
    definitions = {name: _with(one, bundle.more(name)) for name, one in schema.pop("$defs").items()}
    return Draft202012Validator({**_with(schema, bundle.more(type_of(kind))), "$defs": definitions})


def _decoded(schema: Any) -> Any:
    """A schema with what the server's decoder asks of its formats."""
    if isinstance(schema, list):
        return [_decoded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _decoded(one) for name, one in schema.items()}
    form = made.get("format")
    return {**FORMATS[form], **made} if isinstance(form, str) and form in FORMATS else made


def _with(schema: Schema, more: Schema) -> Schema:
    """A schema with what the server asks beside it.

    It may refuse what the server takes, which is looked into then, and takes nothing that the server
    refuses but for what `walk.left` finds.
    """
    if not more:
        return schema
    asked: list[Schema] = [_limits(more)]
    fields = more.get("properties", {})
    if fields:
        asked.append({"properties": {name: _limits(each) for name, each in fields.items()}})
    asked += map(_there, more.get("needs", ()))
    for choice in more.get("choices", ()):
        if choice.get("least"):
            asked.append({"anyOf": [_there(name) for name in choice["of"]]})
        if choice.get("most") == 1:
            pairs = combinations(choice["of"], 2)
            asked += ({"not": {"required": [*pair]}} for pair in pairs)
    for row in more.get("when", ()):
        is_so: Schema = {"properties": {row["field"]: {"enum": [*row["is"]]}}}
        if row.get("default") in row["is"]:
            is_so["properties"][row["field"]]["enum"] += [None, ""]
        else:
            is_so["required"] = [row["field"]]
        then = [*map(_there, row.get("needs", ()))]
        then += ({"not": {"required": [name]}} for name in row.get("bars", ()))
        asked.append({"if": is_so, "then": {"allOf": then}})
    return {"allOf": [schema, *asked]}


def _there(name: str) -> Schema:
    return {"required": [name], "properties": {name: {"not": {"enum": [None, "", []]}}}}


def _limits(more: Schema) -> Schema:
    made = {name: more[name] for name in _PLAIN if name in more}
    if "among" in more:
        made["enum"] = [*more["among"], None]
    for name, keyword in _INSIDE.items():
        if name in more:
            made[keyword] = _limits(more[name])
    return made
