"""A value of the wrong type, or one that the field cannot have."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import broken, certainty, field, notes
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Object
from gpuspec.validation import SchemaViolation

RULE = Rule(
    "GPU011",
    "wrong-value",
    "error",
    "A field has a value of the wrong type, or a value that is not allowed",
    fix="safe",
)


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values that the schema does not allow."""
    for found in broken(one, context, "wrong-type", "wrong-value"):
        if found.taken:
            continue
        severity, confidence, doubt = certainty(one, context)
        end = "the API server rejects the object"
        if found.zero is not None:
            severity, end = "warning", f"its operator's webhook sets it to `{found.zero}`"
        yield RawFinding(
            one.path(*found.path),
            f"{field(found.path)}: {found.message}: {end}",
            note=notes(found.hint, doubt),
            fix=_fix(one, found),
            severity=severity,
            confidence=confidence,
        )


def _fix(one: Object, found: SchemaViolation) -> Fix | None:
    """Return quotes that are missing, or too many."""
    if found.reason != "wrong-type" or found.expected is None:
        return None
    value, path = at(one.value, found.path), one.path(*found.path)
    wanted = found.expected.split(" or ")
    if isinstance(value, bool | int | float) and "a string" in wanted:
        put = Put(path, json.dumps(value), as_written=True)
        return Fix("put it in quotes", (put,), safe=True)
    if isinstance(value, str) and "a string" not in wanted:
        number = read_whole(value) if "an integer" in wanted and _plain(value) else None
        if number is not None:
            return Fix("write it without quotes", (Put(path, number),), safe=True)
        if "a boolean" in wanted and value in ("true", "false"):
            return Fix("write it without quotes", (Put(path, value == "true"),), safe=True)
    return None


def _plain(digits: str) -> bool:
    """Return whether a number is the same without quotes: `012` would be ten."""
    return digits == "0" or not digits.startswith("0")
