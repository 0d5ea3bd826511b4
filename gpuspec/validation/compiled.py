"""The check of many objects: schemas compiled by jsonschema-rs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.validation.bundle import Bundle, Kind, Schema, load
from gpuspec.validation.nodes import FORMATS, LIMITS, type_of

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_PLAIN = LIMITS - {"uniqueBy", "among"}
_INSIDE = {"items": "items", "keys": "propertyNames", "values": "additionalProperties"}


def is_valid(kubernetes: str, kind: Kind, value: object) -> bool:
    """Return whether a plain value is certainly valid for the kind's schema and the API server,
    except for what `walk.left` checks.

    Raises: KeyError: the kind has no schema.
    """
    return _validator(kubernetes, kind).is_valid(value)


@cache
def _validator(kubernetes: str, kind: Kind) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator, RegexOptions

    bundle = load(kubernetes)
    schema = _decoded(bundle.closed(kind))
    definitions = {
        name: _with(bundle, definition, bundle.more(name))
        for name, definition in schema.pop("$defs").items()
    }
    requirements = bundle.more(type_of(kind), bundle.more_of(kind))
    whole = {**_with(bundle, schema, requirements), "$defs": definitions}
    # The engine without look-around is the quicker one, and no pattern looks around.
    return Draft202012Validator(whole, pattern_options=RegexOptions())


def _with(bundle: Bundle, schema: Schema, more: Schema) -> Schema:
    """Return a schema with the server's checks.

    It may refuse a valid object, which the walk then checks. It accepts nothing that the server
    refuses, except for what `walk.left` finds.
    """
    return {"allOf": [schema, _asked(bundle, more)]} if more else schema


def _decoded(schema: Any) -> Any:
    """Return a schema with the decoder's checks of its formats, and without null in lists: the
    server takes null for an empty item.
    """
    if isinstance(schema, list):
        return [_decoded(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    decoded = {name: _decoded(item) for name, item in schema.items()}
    if isinstance(decoded.get("items"), dict):
        decoded["items"] = {"allOf": [decoded["items"], {"not": {"type": "null"}}]}
    form = decoded.get("format")
    return {**FORMATS[form], **decoded} if isinstance(form, str) and form in FORMATS else decoded


def _asked(bundle: Bundle, more: Schema) -> Schema:
    """Return a row of the server's tables as a schema."""
    schema: Schema = {name: more[name] for name in _PLAIN if name in more}
    if "among" in more:
        schema["enum"] = [*more["among"], None]
    for name, keyword in _INSIDE.items():
        if name in more:
            schema[keyword] = _asked(bundle, bundle.more("", more[name]))
    if "properties" in more:
        fields = more["properties"].items()
        schema["properties"] = {
            name: _asked(bundle, bundle.more("", field_schema)) for name, field_schema in fields
        }
    requirements = [_there(name) for name in more.get("needs", ())]
    for choice in more.get("choices", ()):
        if choice.get("least"):
            requirements.append({"anyOf": [_there(name) for name in choice["of"]]})
        if "most" in choice:
            requirements.append(_most(choice["of"], choice["most"]))
    requirements += map(_when, more.get("when", ()))
    return {**schema, "allOf": requirements} if requirements else schema


def _most(names: list[str], most: int) -> Schema:
    """Return the schema that allows at most one of some fields, or none of them."""
    if not most:
        return {"properties": dict.fromkeys(names, False)}
    barred = {
        name: {"properties": dict.fromkeys(names[place + 1 :], False)}
        for place, name in enumerate(names)
    }
    return {"dependentSchemas": barred}


def _when(row: Schema) -> Schema:
    is_so: Schema = {"properties": {row["field"]: {"enum": [*row["is"]]}}}
    if row.get("default") in row["is"]:
        is_so["properties"][row["field"]]["enum"] += [None, ""]
    else:
        is_so["required"] = [row["field"]]
    then = [*map(_there, row.get("needs", ()))]
    then += ({"not": {"required": [name]}} for name in row.get("bars", ()))
    return {"if": is_so, "then": {"allOf": then}}


def _there(name: str) -> Schema:
    return {"required": [name], "properties": {name: {"not": {"enum": [None, "", []]}}}}
