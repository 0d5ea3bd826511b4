"""The messages for the API server's checks of a map beyond its schema. Imported with the first such
fault.
"""

from collections.abc import Callable
from typing import Any

from gpuspec.validation.apiserver.reading import named
from gpuspec.validation.beyond import there
from gpuspec.validation.walk import SchemaFault

Said = tuple[str, str | None]
"""A message and a hint."""


def said(fault: SchemaFault) -> Said:
    """Return the message for a keyword of `SENTENCES`."""
    return SENTENCES[fault.keyword](fault, fault.rule or {})


def _needs(fault: SchemaFault, _: dict[str, Any]) -> Said:
    return f"`{fault.path[-1]}` is missing", None


def _few(fault: SchemaFault, rule: dict[str, Any]) -> Said:
    return f"one of {named(rule['of'])} must be set", rule.get("hint")


def _many(fault: SchemaFault, rule: dict[str, Any]) -> Said:
    if not rule["most"]:
        return f"`{fault.path[-1]}` cannot be set", rule.get("hint")
    present = [name for name in rule["of"] if there(fault.value, name)]
    return f"only one of {named(present)} can be set", rule.get("hint")


def _then_needs(fault: SchemaFault, rule: dict[str, Any]) -> Said:
    return f"`{fault.path[-1]}` is missing, but {_so(fault, rule)} needs it", rule.get("hint")


def _then_bars(fault: SchemaFault, rule: dict[str, Any]) -> Said:
    return f"`{fault.path[-1]}` cannot be set with {_so(fault, rule)}", rule.get("hint")


def _so(fault: SchemaFault, rule: dict[str, Any]) -> str:
    field = rule["field"]
    value = fault.value.get(field) or rule.get("default")
    return f"`{field}: {'true' if value is True else value}`"


SENTENCES: dict[str, Callable[[SchemaFault, dict[str, Any]], Said]] = {
    "needs": _needs,
    "few": _few,
    "many": _many,
    "then needs": _then_needs,
    "then bars": _then_bars,
}
