"""Values that the schema allows, and the validation of the API server or an operator rejects."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import advice, broken, certainty, fault, notes
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.objects import Object
from gpuspec.validation import SchemaViolation

RULE = Rule(
    "GPU017",
    "refused-value",
    "error",
    "The API server or an operator's webhook rejects a value that the schema allows",
    gives_way=(
        *("GPU004", "GPU012", "GPU014", "GPU015", "GPU020", "GPU101", "GPU102", "GPU103", "GPU104"),
        *("GPU212", "GPU316", "GPU511", "GPU513", "GPU714", "GPU717", "GPU721", "GPU735", "GPU741"),
        *("GPU742", "GPU743", "GPU803", "GPU904", "GPU913"),
    ),
    fix="safe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values, and relations between fields, that validation refuses."""
    for violation in broken(obj, context, "refused"):
        severity, confidence, doubt = certainty(obj, context, violation)
        yield RawFinding(
            obj.path(*violation.path),
            f"{fault(violation.path, violation.message)}, so {violation.by}",
            note=notes(violation.hint or advice(violation), violation.sign, doubt),
            fix=_fix(obj, violation),
            severity=severity,
            confidence=confidence,
        )


def _fix(obj: Object, violation: SchemaViolation) -> Fix | None:
    if violation.right is None:
        return None
    change = Put(obj.path(*violation.path), violation.right)
    return Fix(f"write `{violation.right}`", (change,), safe=True)
