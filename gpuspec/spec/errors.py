"""Conversion of schema errors to readable violations.

It is only imported if a document is invalid: `jsonschema` finds all errors at once, which the fast
parser cannot.
"""

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from gpuspec.escaping.meant import did_you_mean
from gpuspec.locate import shipped
from gpuspec.manifests import Path, Quantity, format_path
from gpuspec.spec.expected import hint, sentence, wanted
from gpuspec.spec.foreign import FOREIGN_FIELDS
from gpuspec.spec.forms import QUANTITY
from gpuspec.spec.quoting import either, shown
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.schema import file_name


def schema_problems(value: object, kind: str, most: int) -> list[SpecViolation]:
    """Return the problems of a document's value with its kind's schema: all, or one more than
    `most`."""
    errors = list(_validator(kind).iter_errors(value))
    # What has the wrong type breaks other rules too, which say nothing more.
    mistyped = {tuple(error.path) for error in errors if error.validator == "type"}
    violations = (
        broken
        for error in errors
        if error.validator == "type" or tuple(error.path) not in mistyped
        for broken in _explain(error, (), schema(kind)["$defs"])
    )
    return list(dict.fromkeys(islice(violations, most + 1)))


@cache
def schema(kind: str) -> dict[str, Any]:
    """Return the published schema of a kind, from its file."""
    text = (shipped("schemas") / "gpuspec" / file_name(kind)).read_bytes()
    return cast("dict[str, Any]", json.loads(text))


@cache
def _validator(kind: str) -> Any:
    base = Draft202012Validator
    # JSON Schema takes 2.0 for a whole number; the reader of YAML has settled which is which.
    types = base.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    validator = cast("Any", extend)(base, {"pattern": _pattern}, type_checker=types)
    return validator(schema(kind))


def _pattern(
    validator: Any, pattern: str, value: object, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Yield errors of the pattern, and for quantities that exceed Kubernetes' range, which no
    pattern can express."""
    yield from Draft202012Validator.VALIDATORS["pattern"](validator, pattern, value, schema)
    if pattern == QUANTITY.pattern and isinstance(value, str):
        try:
            Quantity.parse(value)
        except ValueError as error:
            yield ValidationError(str(error))


def _explain(error: ValidationError, above: Path, parts: dict[str, Any]) -> Iterator[SpecViolation]:
    path = (*above, *cast("Path", tuple(error.path)))
    value, keyword = error.instance, error.validator
    if keyword == "additionalProperties" and isinstance(value, dict):
        yield from _unknown(error, path, parts)
    elif keyword == "required" and isinstance(value, dict):
        properties = _schema(error)["properties"]
        for name in cast("list[str]", error.validator_value):
            if name not in value:
                description = properties[name].get("description")
                where = (*path, name)
                yield SpecViolation(
                    f"`{format_path(where)}` is missing", path, description, True, (where,)
                )
    elif keyword == "anyOf":
        yield from _any(error, path, parts)
    else:
        message = f"{_named(path)}{sentence(error)}"
        yield SpecViolation(message, path, hint(error))


def _named(path: Path) -> str:
    return f"`{format_path(path)}`: " if path else ""


def _unknown(error: ValidationError, path: Path, parts: dict[str, Any]) -> Iterator[SpecViolation]:
    fields = _schema(error).get("properties", {})
    field_names = list(fields)
    for key in cast("dict[str, object]", error.instance):
        if key not in field_names:
            advice = (
                _boolean_key(key)
                or did_you_mean(key, field_names, 0.75)
                or _deeper(key, fields, parts)
                or FOREIGN_FIELDS.get(key)
                or did_you_mean(key, field_names, 0.65)
                or f"fields here: {', '.join(sorted(field_names))}"
            )
            where = format_path((*path, key if len(key) <= 60 else key[:59] + "…"))
            yield SpecViolation(f"unknown field `{where}`", (*path, key), advice, key=True)


def _deeper(key: str, fields: dict[str, Any], parts: dict[str, Any]) -> str | None:
    """Return the path of a field with this name one level below, which may have been meant."""
    choices = [
        f"`{name}.{key}`"
        for name, field in fields.items()
        if key in parts.get(str(field.get("$ref", "")).rpartition("/")[2], {}).get("properties", {})
    ]
    return f"did you mean {either(choices)}?" if 1 <= len(choices) <= 3 else None


def _boolean_key(key: str) -> str | None:
    """Return the word behind a boolean key, because YAML reads some words as booleans even as keys."""
    if key not in ("true", "false"):
        return None
    words = "y, yes, on" if key == "true" else "n, no, off"
    return f"YAML reads the keys {words} as {key}: put the key in quotes if it is meant"


def _any(error: ValidationError, path: Path, parts: dict[str, Any]) -> Iterator[SpecViolation]:
    """Follow the intended branch of `anyOf`: the one whose type the value has."""
    branches: dict[int, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(cast("int", inner.schema_path[0]), []).append(inner)
    for errors in branches.values():
        if not any(e.validator == "type" and not e.path for e in errors):
            for inner in errors:
                yield from _explain(inner, path, parts)
            return
    kinds = dict.fromkeys(
        wanted(_schema(inner)) for errors in branches.values() for inner in errors if not inner.path
    )
    expected = either(kinds)
    message = f"{_named(path)}expected {expected}, not {shown(error.instance)}"
    yield SpecViolation(message, path, _number_hint(error, branches))


def _number_hint(error: ValidationError, branches: dict[int, list[ValidationError]]) -> str | None:
    for errors in branches.values():
        for inner in errors:
            if not inner.path and (number_hint := hint(inner)):
                return number_hint
    return None


def _schema(error: ValidationError) -> dict[str, Any]:
    return cast("dict[str, Any]", error.schema)
