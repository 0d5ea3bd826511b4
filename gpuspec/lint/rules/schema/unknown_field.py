"""A field that the kind does not have: misspelt, or at the wrong level."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import (
    broken,
    certainty,
    earlier_release,
    notes,
    stays_taken,
    unheld,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rename, Rule
from gpuspec.manifests import Path, format_path
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.validation import SchemaViolation, supported_versions, validate

RULE = Rule(
    "GPU010",
    "unknown-field",
    "error",
    "A field does not exist in the object's kind",
    gives_way=("GPU103", "GPU316"),
    fix="both",
)

MOST_FIXED = 100
"""Unknown fields of an object with a fix in one run: each fix is tried on the whole object."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield unknown fields, with what was meant by them."""
    unknown_fields = broken(obj, context, "unknown-field")
    later_releases = _later_releases(obj, context) if unknown_fields else []
    for number, violation in enumerate(unknown_fields):
        severity, confidence, doubt = certainty(obj, context, violation)
        earlier = earlier_release(obj, violation) if doubt is None else None
        if (
            earlier is None
            and violation.hint is None
            and doubt is None
            and (doubt := unheld(obj, context))
        ):
            # Where nothing tells what else was meant, another release may have it.
            confidence = "likely"
        name, holder = violation.path[-1], "a pod" if violation.in_pod else f"`{obj.kind}`"
        yield RawFinding(
            obj.path(*violation.path),
            f"`{format_path(violation.path)}` is not a field of {holder}: kubectl rejects the object, "
            f"other clients silently drop `{name}`",
            note=notes(violation.hint, _newer(later_releases, context, violation), earlier, doubt)
            or f"remove `{name}`, or find the right field with `kubectl explain {_parent(obj, violation)}`",
            key=True,
            fix=_fix(obj, violation, context) if number < MOST_FIXED else None,
            severity=severity,
            confidence=confidence,
        )


def _parent(obj: Object, violation: SchemaViolation) -> str:
    """Return the map of an unknown field as `kubectl explain` names it."""
    fields = (step for step in violation.path[:-1] if isinstance(step, str))
    return ".".join((obj.kind.lower(), *fields))


def _later_releases(obj: Object, context: Context) -> list[tuple[str, dict[Path, SchemaViolation]]]:
    """Return each later Kubernetes, with the fields that it does not have either."""
    versions = supported_versions()
    return [
        (
            version,
            {
                violation.path: violation
                for violation in validate(obj.value, version)
                if violation.reason == "unknown-field"
            },
        )
        for version in versions[versions.index(context.kubernetes) + 1 :]
    ]


def _newer(
    later_releases: list[tuple[str, dict[Path, SchemaViolation]]],
    context: Context,
    violation: SchemaViolation,
) -> str | None:
    """Return the first later Kubernetes that has the field."""
    if violation.in_pod:
        return None
    for version, unknown_fields in later_releases:
        if unknown_fields.get(violation.path) != violation:
            return f"Kubernetes {version} has it; the profile says {context.kubernetes}"
    return None


def _fix(obj: Object, violation: SchemaViolation, context: Context) -> Fix | None:
    """Return a fix to the right name or place, if there is exactly one, it is free, and it accepts
    the value."""
    fix = _named(obj, violation)
    return fix if fix is None or stays_taken(obj, fix.changes, context) else None


def _named(obj: Object, violation: SchemaViolation) -> Fix | None:
    path, old = violation.meant, violation.path
    if path is None or _has(obj.value, path):
        return None
    old_path = obj.path(*old)
    if path[:-1] == old[:-1]:
        # Nothing else can have been meant by other capitals.
        safe = str(path[-1]).lower() == str(old[-1]).lower()
        return Fix(f"write `{path[-1]}`", (Rename(old_path, str(path[-1])),), safe)
    for end, step in enumerate(path):
        # Of several containers, who knows which was meant; none is to be made up.
        if isinstance(step, int) and len(_list(at(obj.value, path[:end]))) != 1:
            return None
    moved = (Put(obj.path(*path), at(obj.value, old)), Drop(old_path, emptied=True))
    return Fix(f"move it to `{format_path(path[:-1])}`", moved)


def _has(value: object, path: Path) -> bool:
    holder = at(value, path[:-1])
    return isinstance(holder, dict) and path[-1] in holder


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
