"""A kind's schema from a file, in the form of the bundled ones.

The walk knows few keywords. An engine for all of JSON Schema checks the others, in values where the
walk has found nothing.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpuspec.manifests import InputError, Problem
from gpuspec.validation.bundle import Bundle
from gpuspec.validation.custom import CustomBundle
from gpuspec.validation.located.engine import CompiledSchema, check_references
from gpuspec.validation.nodes import JSON_TYPES

if TYPE_CHECKING:
    from gpuspec.validation.bundle import Kind, Schema

_LIMITS = frozenset({"enum", "minimum", "maximum", "minLength", "maxLength", "pattern"})
_LIMITS |= {"minItems", "maxItems", "minProperties", "maxProperties"}
_READ = frozenset({"type", "properties", "items", "additionalProperties", "required", "$ref"})
_READ |= {"nullable", "default", "uniqueItems", "format"}
_SILENT = frozenset({"$schema", "$id", "id", "$comment", "title", "description", "example"})
_SILENT |= {"examples", "externalDocs", "readOnly", "deprecated", "definitions", "$defs"}
_KNOWN = _READ | _LIMITS | _SILENT
_UNTESTED = frozenset({None, "int32", "int64", "byte", "float", "double", "password"})
"""Formats that the engine does not check."""
_INT_OR_STRING = [["integer", "string"], ["string", "integer"]]


class LocatedBundle(CustomBundle):
    """The schema of one kind."""

    __slots__ = (
        "__dict__",
        "_kind",
        "_made",
        "_source",
        "file",
        "has_rest",
        "has_rules",
        "objects",
    )

    def __init__(
        self, file: str, kind: Kind, source: Schema, operator: CustomBundle | None
    ) -> None:
        """Take in `operator` the bundled project of the kind, for the operator's own checks."""
        self.name = operator.name if operator is not None else ""
        self.beyond: Bundle | None = operator.beyond if operator is not None else None
        self.is_part = False
        self.file = file
        self.has_rest = False
        """Whether it has keywords that the walk does not know."""
        self.has_rules = False
        self.objects: list[str] = []
        """The places of whole objects in the kind's."""
        self._kind = kind
        self._source = source
        self._made: dict[str, Schema] = {}
        check_references(source, file)
        for reference in ("#", *_references(source)):
            self.definition(reference)

    def kinds(self) -> list[Kind]:
        """Return the kind."""
        return [self._kind]

    def __contains__(self, kind: Kind) -> bool:
        return kind == self._kind

    def root(self, kind: Kind) -> Schema:
        """Return the schema of the kind's objects."""
        return self.definition("#")

    def definition(self, reference: str) -> Schema:
        """Return the schema that a `$ref` of the file means."""
        if reference not in self._made:
            pointed = self._pointed(reference)
            self._made[reference] = {}  # for one that refers to itself
            self._made[reference] = self._compact(pointed, "" if reference == "#" else None)
        return self._made[reference]

    @cached_property
    def engine(self) -> CompiledSchema:
        """The engine for the other keywords."""
        return CompiledSchema(self.file, self._source)

    def check(self) -> None:
        """Raise `InputError` if the engine cannot use the schema."""
        if self.has_rest:
            _ = self.engine

    def _pointed(self, reference: str) -> Any:
        target: Any = self._source
        for step in reference.removeprefix("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, dict) else None
        if not isinstance(target, dict | bool):
            raise _wrong(self.file, f"`$ref` to `{reference}`, which does not exist")
        return target

    def _compact(self, source: Any, path: str | None, *, is_map: bool = False) -> Schema:
        """Return a schema in the keywords of the walk; `path` is where whole objects would be."""
        if source is True:
            return {}
        if not isinstance(source, dict):
            self.has_rest = True
            return {}
        if "$ref" in source:
            return {"$ref": source["$ref"]}
        schema = {word: source[word] for word in _LIMITS & source.keys()}
        if pattern := schema.pop("pattern", None):
            self._pattern(pattern, schema)
        self._types(source, schema)
        if isinstance(fields := source.get("properties"), dict):
            schema["properties"] = {
                name: self._compact(field, _inside(path, name)) for name, field in fields.items()
            }
        for word in ("items", "additionalProperties"):
            if word in source:
                inner = source[word]
                schema[word] = (
                    inner
                    if isinstance(inner, bool) and word == "additionalProperties"
                    else self._compact(inner, _inside(path, "*"))
                )
        if isinstance(source.get("required"), list):
            schema["required"] = source["required"]
        if "default" in source:
            schema["default"] = source["default"]
        if source.get("format") == "date-time":
            schema["format"] = "date-time"  # which rules in CEL see as a time
        self._unique(source, schema)
        self._rules(source, schema)
        if path is not None and source.get("x-kubernetes-embedded-resource"):
            self.objects.append(path)
        self.has_rest |= any(
            not word.startswith("x-") for word in source.keys() - _KNOWN - schema.keys()
        )
        tested = source.get("format") not in _UNTESTED
        self.has_rest |= tested and not (schema.get("format") and "pattern" in schema)
        return schema

    def _pattern(self, pattern: str, schema: Schema) -> None:
        # Go takes a flag behind the anchor; other dialects want it in front.
        right = pattern.replace("^(?i)", "(?i)^")
        try:
            re.compile(right)
        except (re.error, TypeError, RecursionError, OverflowError):
            self.has_rest = True
        else:
            schema["pattern"] = right

    def _types(self, source: Schema, schema: Schema) -> None:
        stated_type = source.get("type")
        types = [stated_type] if isinstance(stated_type, str) else list(stated_type or ())
        if source.get("x-kubernetes-int-or-string") and not types:
            types = ["integer", "string"]
        elif [
            alternative.get("type")
            for alternative in source.get("oneOf", ())
            if isinstance(alternative, dict)
        ] in (_INT_OR_STRING) and all(len(alternative) == 1 for alternative in source["oneOf"]):
            schema["oneOf"] = source["oneOf"]
        if source.get("nullable") and types:
            types.append("null")
        if strange := set(map(str, types)) - JSON_TYPES.keys():
            raise _wrong(self.file, f"`type: {sorted(strange)[0]}` is not a type of JSON")
        if types:
            schema["type"] = types if len(types) > 1 else types[0]

    def _unique(self, source: Schema, schema: Schema) -> None:
        if source.get("x-kubernetes-list-type") == "set" or source.get("uniqueItems") is True:
            schema["uniqueItems"] = True
        elif source.get("x-kubernetes-list-type") == "map":
            items = source.get("items")
            fields = items.get("properties", {}) if isinstance(items, dict) else {}
            keys = source.get("x-kubernetes-list-map-keys", ())
            schema["uniqueBy"] = {key: fields.get(key, {}).get("default") for key in keys}

    def _rules(self, source: Schema, schema: Schema) -> None:
        """Keep the rules for a new object."""
        rules = []
        for rule in source.get("x-kubernetes-validations", ()):
            if not _is_of_update(rule):
                rules.append(dict(rule))
                if path := rule.get("fieldPath"):
                    rules[-1]["fieldPath"] = path.removeprefix(".").replace("'", '"')
        if rules:
            self.has_rules = True
            schema["rules"] = rules


def _is_of_update(rule: dict[str, Any]) -> bool:
    """Return whether a rule is about an object's previous state, or cannot be parsed."""
    from gpuspec.cel.names import names
    from gpuspec.cel.nodes import CelError
    from gpuspec.cel.syntax import parse
    from gpuspec.cel.values import UnknownResult

    try:
        return "oldSelf" in names(parse(rule["rule"])) and not rule.get("optionalOldSelf")
    except (CelError, UnknownResult):
        return True


def _inside(path: str | None, step: str) -> str | None:
    return None if path is None else f"{path}.{step}".strip(".")


def _references(source: Any) -> set[str]:
    """Return every `$ref` in a schema."""
    if isinstance(source, list):
        return set().union(*map(_references, source))
    if not isinstance(source, dict):
        return set()
    own_reference = {source["$ref"]} if isinstance(source.get("$ref"), str) else set()
    return own_reference.union(*map(_references, source.values()))


def _wrong(file: str, problem: str) -> InputError:
    return InputError([Problem(f"{file}: the schema cannot be used: {problem}")])
