"""The messages for faults. Imported with the first fault."""

from functools import lru_cache
from typing import Any

from gpuspec.enumeration import choice_of
from gpuspec.manifests import Path, format_path
from gpuspec.numbers import is_digits
from gpuspec.validation import server_messages
from gpuspec.validation.misplaced_fields import right_place
from gpuspec.validation.nodes import SchemaNode
from gpuspec.validation.values import NOUNS, QUANTITY, closest, instead, likest
from gpuspec.validation.violation import SchemaViolation
from gpuspec.validation.walk import SchemaFault

_QUANTITY_TYPES = frozenset({str, int, float})
_LACKING = frozenset({"needs", "few", "then needs", "minItems", "minProperties"})
"""The keywords that a value violates because something is absent."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def violation(top: SchemaNode, fault: SchemaFault) -> SchemaViolation:
    """Return the violation of an object's fault; `top` is the node of the whole object."""
    reason, node, value, path, keyword, _ = fault
    expected: str | None = None
    meant_path: Path | None = None
    right: str | None = None
    match reason:
        case "unknown-field":
            message = f"unknown field `{path[-1]}`"
            hint, meant_path = _meant(top, node, path)
        case "missing-field":
            message = f"required field `{path[-1]}` is missing"
            hint = "set a value: null counts as absent" if path[-1] in value else None
        case "wrong-value" if keyword == "enum":
            allowed = [str(choice) for choice in node.allowed or ()]
            expected = choice_of((choice or '""' for choice in allowed), len(allowed))
            message, hint = instead(expected, value), closest(str(value), allowed)
        case "refused" if keyword in server_messages.SENTENCES:
            message, hint = server_messages.said(fault)
        case "wrong-value" | "refused":
            from gpuspec.validation import limit_messages

            limits = node.keys if fault.rule is not None else node.limits
            assert limits is not None
            message, expected, hint = limit_messages.wrong(limits, value, keyword)
            right = limit_messages.right(limits, value) if keyword == "among" else None
        case _:
            expected = _expected(node)
            message, hint = instead(expected, value), _advice(node.types, value)
    lacking = reason not in ("unknown-field", "wrong-type") and (
        reason == "missing-field" or keyword in _LACKING or value in _EMPTY
    )
    return SchemaViolation(
        path, message, reason, expected, hint, meant_path, right, lacking=lacking
    )


# A fix is tried on the whole object, whose other unknown fields are then explained again.
@lru_cache(maxsize=8192)
def _meant(top: SchemaNode, node: SchemaNode, path: Path) -> tuple[str | None, Path | None]:
    """Return the field that an unknown one probably means: in words, and its path."""
    if not node.schemas:
        return (
            "remove the map: the kind's definition has no fields in it, so the server drops its "
            "content"
        ), None
    name = str(path[-1])
    # A field of just this name elsewhere is better evidence than one that is somewhat alike here.
    close = likest(name, node.schemas, 0.85)
    if close is None and (home := right_place(top, path)):
        return f"move `{name}` to `{format_path(home)}`", (*home, name)
    if close := close or likest(name, node.schemas):
        return f"did you mean `{close}`?", (*path[:-1], close)
    return None, None


def _expected(node: SchemaNode) -> str:
    types = node.types
    if types == _QUANTITY_TYPES or (node.limits is not None and node.limits.quantity):
        return QUANTITY
    expected_types = types - {int} if float in types else types
    return " or ".join(noun for kind, noun in NOUNS.items() if kind in expected_types)


def _advice(types: frozenset[type], value: Any) -> str | None:
    if value is None:
        return "set a value, or omit the field"
    if str in types and isinstance(value, (bool, int, float)):
        return "put the value in quotes"
    if types == {str} and isinstance(value, (dict, list)):
        return "write one text: `|` after the key makes the indented lines below it text"
    if isinstance(value, str):
        if bool in types and value.lower() in ("true", "false"):
            return f"write {value.lower()}, without quotes"
        if int in types and is_digits(value.removeprefix("-")):
            return f"write {value}, without quotes"
        if dict in types and ": " in value:
            return "write a map: the quotes or the `|` turn the value into text"
    if list in types and not isinstance(value, list):
        return "write a list: each item starts with `- `"
    return None
