"""What the schema allows, and the validation of the API server or of an operator does not."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import broken, certainty, field, notes
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


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values, and relations between fields, that validation refuses."""
    for found in broken(one, context, "refused"):
        severity, confidence, doubt = certainty(one, context, found)
        yield RawFinding(
            one.path(*found.path),
            f"{field(found.path)}: {found.message}: {found.by}",
            note=notes(found.hint, found.sign, doubt),
            fix=_fix(one, found),
            severity=severity,
            confidence=confidence,
        )


def _fix(one: Object, found: SchemaViolation) -> Fix | None:
    if found.right is None:
        return None
    change = Put(one.path(*found.path), found.right)
    return Fix(f"write `{found.right}`", (change,), safe=True)
