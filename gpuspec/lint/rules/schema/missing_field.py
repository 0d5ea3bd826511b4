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


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield required fields that are missing."""
    for found in broken(one, context, "missing-field"):
        if found.taken:
            continue
        if found.path == ("spec", "selector") and gets_selector(one, context.collection):
            continue
        severity, confidence, doubt = certainty(one, context)
        end = "the API server rejects the object"
        if found.zero is not None:
            severity, end = "warning", f"its operator's webhook sets it to `{found.zero}`"
        yield RawFinding(
            one.path(*found.path),
            f"`{format_path(found.path)}` is missing: {end}",
            note=notes(found.hint, doubt),
            severity=severity,
            confidence=confidence,
        )
