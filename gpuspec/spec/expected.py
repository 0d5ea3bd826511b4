"""Sentences for a schema error: the expected value, and how to write it."""

from typing import Any, cast

from jsonschema.exceptions import ValidationError

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Quantity
from gpuspec.numbers import is_digits
from gpuspec.spec.forms import DURATION, FORMS, QUANTITY
from gpuspec.spec.quoting import either, shown

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}
_TRUE, _FALSE = ("yes", "true", "on", "y"), ("no", "false", "off", "n")


def wanted(schema: dict[str, Any]) -> str:
    """Return the values that a schema accepts, in words."""
    if schema.get("pattern") == QUANTITY.pattern:
        return "a quantity such as 6Gi"
    if schema.get("pattern") == DURATION.pattern:
        return "a duration such as 90s, 30m or 12h"
    if schema.get("type") == "object" and "properties" in schema:
        return f"a mapping with {', '.join(schema['properties'])}"
    return _TYPES.get(str(schema.get("type")), "something else")


def sentence(error: ValidationError) -> str:
    """Return the message about the value."""
    value, keyword, rule = error.instance, error.validator, cast("Any", error.validator_value)
    match keyword:
        case "type":
            return f"expected {wanted(cast('dict[str, Any]', error.schema))}, not {shown(value)}"
        case "enum" | "const":
            return f"expected {either(_choices(rule))}, not {shown(value)}"
        case "pattern" if rule in FORMS:
            return f"{shown(value)} is not {FORMS[rule].what}"
        case "minimum":
            return f"{value} is below {rule}"
        case "maximum":
            return f"{value} is above {rule}"
        case "minLength":
            return "is empty"
        case "maxLength":
            return f"{shown(value)} has {len(cast('str', value))} characters; at most {rule} are allowed"
    return error.message


def hint(error: ValidationError) -> str | None:
    """Return what to write instead, if known."""
    value, keyword, rule = error.instance, error.validator, cast("Any", error.validator_value)
    match keyword:
        case "enum" | "const":
            return did_you_mean(str(value), _choices(rule)) or _quotes(value)
        case "pattern" if rule == QUANTITY.pattern:
            return _quantity_hint(str(value))
        case "pattern" if rule in FORMS:
            return FORMS[rule].hint
        case "type":
            if cast("dict[str, Any]", error.schema).get("pattern") == DURATION.pattern:
                return (
                    f"it needs a unit: {value}s, {value}m or {value}h"
                    if _is_number(value)
                    else None
                )
            return _type_hint(value, rule)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _choices(rule: object) -> list[str]:
    return [str(choice) for choice in (rule if isinstance(rule, list) else [rule])]


def _type_hint(value: object, kind: object) -> str | None:
    match kind, value:
        case "string", bool() | int() | float():
            return _quotes(value)
        case "integer", str() if is_digits(value.strip().lstrip("+-")):
            return "write it without quotes"
        case "boolean", str() if value.lower() in _TRUE + _FALSE:
            return f"write {str(value.lower() in _TRUE).lower()}, without quotes"
        case "array", str() if len(value) <= 60 and "\n" not in value:
            return f"write a list: [{value}]"
        case "array", dict():
            return "write a list: put '- ' before the first key"
        case "object", list():
            return "write a mapping: leave out the dashes"
    return None


def _quotes(value: object) -> str | None:
    """Return a hint to quote strings that YAML reads as another type."""
    if isinstance(value, bool):
        return "YAML reads yes, no, on, off, y and n as true or false: put it in quotes"
    if isinstance(value, int | float):
        return "YAML reads a number here: put it in quotes"
    return None


def _quantity_hint(text: str) -> str:
    if text.startswith("-"):
        return "it cannot be negative"
    try:
        Quantity.parse(text)
    except ValueError as error:
        _, _, advice = str(error).partition(": ")
        return advice or str(error)
    return QUANTITY.hint
