"""A value of the wrong type, or one that the field cannot have."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import advice, broken, certainty, fault, notes
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


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values that the schema does not allow."""
    for violation in broken(obj, context, "wrong-type", "wrong-value"):
        if violation.taken:
            continue
        severity, confidence, doubt = certainty(obj, context, violation)
        end = violation.by if violation.in_pod else "the API server rejects the object"
        if violation.zero is not None:
            severity, end = (
                "warning",
                (f"the operator's webhook sets the field to `{violation.zero}`"),
            )
        yield RawFinding(
            obj.path(*violation.path),
            f"{fault(violation.path, violation.message)}: {end}",
            note=notes(violation.hint, doubt) or advice(violation),
            fix=_fix(obj, violation),
            severity=severity,
            confidence=confidence,
        )


def _fix(obj: Object, violation: SchemaViolation) -> Fix | None:
    """Return quotes that are missing, or too many."""
    if violation.reason != "wrong-type" or violation.expected is None:
        return None
    value, path = at(obj.value, violation.path), obj.path(*violation.path)
    expected_types = violation.expected.split(" or ")
    if isinstance(value, bool | int | float) and "a string" in expected_types:
        text_put = Put(path, json.dumps(value), as_written=True)
        return Fix("put the value in quotes", (text_put,), safe=True)
    if isinstance(value, str) and "a string" not in expected_types:
        number = read_whole(value) if "an integer" in expected_types and _plain(value) else None
        if number is not None:
            return Fix("write the value without quotes", (Put(path, number),), safe=True)
        if "a boolean" in expected_types and value in ("true", "false"):
            return Fix("write the value without quotes", (Put(path, value == "true"),), safe=True)
    return None


def _plain(digits: str) -> bool:
    """Return whether a number is the same without quotes: `012` would be ten."""
    return digits == "0" or not digits.startswith("0")
