"""A field that the kind requires and the object does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.kustomizations import gets_selector
from gpuspec.lint.analysis.reading.schema import broken, certainty, notes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import format_path
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU012",
    "missing-field",
    "error",
    "A required field is missing",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield required fields that are missing."""
    for violation in broken(obj, context, "missing-field"):
        if violation.taken:
            continue
        if violation.path == ("spec", "selector") and gets_selector(obj, context.collection):
            continue
        severity, confidence, doubt = certainty(obj, context)
        end = "the API server rejects the object"
        if violation.zero is not None:
            severity, end = (
                "warning",
                (f"the operator's webhook sets the field to `{violation.zero}`"),
            )
        yield RawFinding(
            obj.path(*violation.path),
            f"`{format_path(violation.path)}` is missing: {end}",
            note=notes(violation.hint or f"set `{violation.path[-1]}`", doubt),
            severity=severity,
            confidence=confidence,
        )
