"""The messages for values beyond a limit. Imported with the first such value."""

from typing import Any

from gpuspec.manifests import Quantity
from gpuspec.validation.limits import SchemaLimits
from gpuspec.validation.values import LABEL_VALUE, QUANTITY, closest, described, instead

Words = tuple[str, str, str | None]
"""The message, the expected value, and a hint."""

_SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_NAME = 'a name of lower-case letters, digits, "-" and "."'
_LABEL = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_KEY = 'a label key, such as "example.com/name"'

# Patterns that occur again and again, in words.
_FORMS = {
    f"^{_SUBDOMAIN}$": _NAME,
    f"^$|^{_SUBDOMAIN}$": _NAME,
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": 'a name of lower-case letters, digits and "-"',
    f"^({_SUBDOMAIN}/)?({_LABEL})$": _KEY,
    f"^({_SUBDOMAIN}(\\/))?{_LABEL}$": _KEY,
    f"^({_LABEL})?$": LABEL_VALUE,
}
# How the pattern of RFC 3339 begins.
_TIME = "^[0-9]{4}-(0[1-9]"

_COUNTED: dict[type, str] = {str: "character", list: "item", dict: "field"}
_NAMES: dict[type, str] = {str: "string", list: "list", dict: "map"}


def wrong(limits: SchemaLimits, value: Any, keyword: str) -> Words:
    """Return the message for a value that violates a limit."""
    if keyword == "unique":
        return _twice(value, limits.keys and limits.key_of(value))
    limit = limits.schema[keyword]
    if keyword == "among":
        allowed = [choice for choice in limit if choice != ""]
        expected = " or ".join(f"`{choice}`" for choice in allowed)
        hint = limits.schema.get("hint") or closest(str(value), allowed)
        return instead(expected, value), expected, hint
    if keyword == "pattern":
        expected = QUANTITY if limits.quantity else limits.schema.get("noun") or _form(limit)
        hint = _meant(value) if expected.startswith("a quantity") else None
        return instead(expected, value), expected, hint or limits.schema.get("hint")
    least = keyword.startswith("min")
    bound = f"at least {limit}" if least else f"at most {limit}"
    if type(value) not in _COUNTED:
        expected = f"a number of {bound}"
        return instead(expected, value), expected, None
    noun = _COUNTED[type(value)]
    if least and limit == 1:
        expected = "text" if noun == "character" else f"at least one {noun}"
        return f"expected {expected}, not an empty {_NAMES[type(value)]}", expected, None
    expected = f"{bound} {noun}" if limit == 1 else f"{bound} {noun}s"
    return f"expected {expected}, not {len(value)}", expected, None


def _meant(value: Any) -> str | None:
    """Return the value that a text without a valid quantity probably means: `900G` for `900GB`."""
    try:
        Quantity.parse(str(value))
    except ValueError as error:
        advice = str(error).partition(": ")[2]
        return advice if advice.startswith("did you mean") else None
    return None


def right(limits: SchemaLimits, value: Any) -> str | None:
    """Return the valid word that differs from a value only in case."""
    words = [word for word in limits.schema.get("among", ()) if word]
    alike = [word for word in words if str(word).lower() == str(value).lower()]
    return alike[0] if len(alike) == 1 else None


def _twice(item: Any, key: dict[str, Any] | None) -> Words:
    hint = "the API server rejects the object; keep one of them"
    if key is None:
        return f"{described(item)} is in the list twice", "items that differ", hint
    names = " and ".join(f"`{name}`" for name in key) or "their keys"
    values = " and ".join(f"`{name}: {value}`" for name, value in key.items()) or "no key"
    return f"another item of the list has {values} too", f"items that differ in {names}", hint


def _form(pattern: str) -> str:
    if pattern.startswith(_TIME):
        return 'a time, such as "2026-05-04T03:02:01Z"'
    return _FORMS.get(pattern, f"text that matches `{pattern}`")
