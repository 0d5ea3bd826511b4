"""From a schema's refusals to problems in people's terms, each at its line.

Only imported when a document is wrong: `jsonschema` finds all errors at once, which the fast
reader cannot.
"""

import difflib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from gpuspec.locate import shipped
from gpuspec.manifests import Path, Problem, format_path
from gpuspec.spec.schema import file_name
from gpuspec.spec.text import Text
from gpuspec.spec.types import DURATION_PATTERN, QUANTITY_PATTERN

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}


@cache
def _validator(kind: str) -> Draft202012Validator:
    text = (shipped("schemas") / "gpuspec" / file_name(kind)).read_bytes()
    return Draft202012Validator(json.loads(text))


def schema_problems(document: Text, kind: str) -> list[Problem]:
    """All problems of a document against its kind's schema, in the order of the text."""
    found: list[Problem] = []
    for error in _validator(kind).iter_errors(document.value):
        found.extend(_explain(document, error))
    return found


def _explain(document: Text, error: ValidationError) -> Iterator[Problem]:
    path = cast("Path", tuple(error.absolute_path))
    value, keyword = error.instance, error.validator
    at = document.place(path)
    if keyword == "additionalProperties" and isinstance(value, dict):
        known = list(_schema(error).get("properties", {}))
        for key in value:
            if key not in known:
                yield Problem(
                    f"unknown field `{format_path((*path, key))}`",
                    document.place((*path, key), key=True),
                    _boolean_key(key) or did_you_mean(str(key), known) or f"fields here: {', '.join(sorted(known))}",
                )
    elif keyword == "required" and isinstance(value, dict):
        missing = [name for name in cast("list[str]", error.validator_value) if name not in value]
        # jsonschema reports each missing name as an error of its own.
        name = next((n for n in missing if f"'{n}'" in error.message), missing[0])
        described = _schema(error).get("properties", {}).get(name, {}).get("description")
        yield Problem(f"`{format_path((*path, name))}` is missing", at, described)
    elif keyword == "anyOf":
        yield from _explain_any(document, error, path)
    else:
        yield Problem(f"`{format_path(path)}`: {_sentence(error)}", at, _hint(error))


def _boolean_key(key: str) -> str | None:
    """YAML's surprise: some words are booleans even as keys."""
    if key not in ("true", "false"):
        return None
    words = "y, yes, on" if key == "true" else "n, no, off"
    return f"YAML reads the keys {words} as {key}: put the key in quotes if it is meant"


def _explain_any(document: Text, error: ValidationError, path: Path) -> Iterator[Problem]:
    """Follow the branch that was meant: the one whose type the value has."""
    value = error.instance
    branches: dict[int, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(cast("int", inner.schema_path[0]), []).append(inner)
    for errors in branches.values():
        if not any(e.validator == "type" and not e.path for e in errors):
            for inner in errors:
                yield from _explain(document, inner)
            return
    expected = " or ".join(sorted({_expected(s) for s in _flat(error)}))
    yield Problem(
        f"`{format_path(path)}`: expected {expected}, not {_shown(value)}", document.place(path)
    )


def _schema(error: ValidationError) -> dict[str, Any]:
    return cast("dict[str, Any]", error.schema)


def _flat(error: ValidationError) -> Iterable[dict[str, Any]]:
    for inner in error.context or ():
        if inner.validator == "type" and not inner.path:
            yield _schema(inner)


def _expected(schema: dict[str, Any]) -> str:
    if schema.get("pattern") == QUANTITY_PATTERN:
        return "a quantity such as 6Gi"
    if schema.get("type") == "object" and "properties" in schema:
        return f"a mapping with {', '.join(schema['properties'])}"
    return _TYPES.get(str(schema.get("type")), "something else")


def _sentence(error: ValidationError) -> str:
    value, keyword, rule = error.instance, error.validator, error.validator_value
    if keyword == "type":
        wanted = _TYPES.get(str(rule), str(rule))
        if _schema(error).get("pattern") == DURATION_PATTERN:
            wanted = "a duration such as 90s, 30m or 12h"
        return f"expected {wanted}, not {_shown(value)}"
    if keyword in ("enum", "const"):
        choices = rule if isinstance(rule, list) else [rule]
        return f"expected {_alternatives(choices)}, not {_shown(value)}"
    if keyword == "pattern":
        if rule == QUANTITY_PATTERN:
            return f"{_shown(value)} is not a Kubernetes quantity"
        if rule == DURATION_PATTERN:
            return f"{_shown(value)} is not a duration"
        return f"{_shown(value)} does not have the form {rule}"
    if keyword == "minimum":
        return f"{value} is below {rule}"
    if keyword == "maximum":
        return f"{value} is above {rule}"
    return error.message


def _hint(error: ValidationError) -> str | None:
    value, keyword, rule = error.instance, error.validator, error.validator_value
    if keyword in ("enum", "const"):
        choices = rule if isinstance(rule, list) else [rule]
        return did_you_mean(str(value), [str(choice) for choice in choices])
    if keyword == "pattern" and rule == QUANTITY_PATTERN:
        return _quantity_hint(str(value))
    if keyword == "pattern" and rule == DURATION_PATTERN:
        return "write a number and a unit: 90s, 30m, 12h, 2d, 1h30m"
    if keyword == "type":
        return _type_hint(value, rule)
    return None


def _type_hint(value: object, wanted: object) -> str | None:
    if wanted == "string" and isinstance(value, bool):
        return "YAML reads yes, no, on, off, y and n as true or false: put it in quotes"
    if wanted == "string" and isinstance(value, int | float):
        return f'put it in quotes: "{value}"'
    if wanted == "integer" and isinstance(value, str) and value.lstrip("-").isdigit():
        return "write it without quotes"
    if wanted == "array" and isinstance(value, str):
        return f"write a list: [{value}]"
    return None


def _quantity_hint(text: str) -> str:
    from gpuspec.manifests import Quantity

    try:
        Quantity.parse(text)
    except ValueError as error:
        return str(error)
    return "write it as Kubernetes does: 500m, 4, 6Gi, 100G"


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else str(value)


def _alternatives(choices: list[Any]) -> str:
    words = [str(choice) for choice in choices]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean …?` when one of the known words is close, whatever its case."""
    by_lower = {name.lower().replace("_", "").replace("-", ""): name for name in known}
    folded = word.lower().replace("_", "").replace("-", "")
    close = difflib.get_close_matches(folded, by_lower, n=1, cutoff=0.6)
    return f"did you mean `{by_lower[close[0]]}`?" if close else None
