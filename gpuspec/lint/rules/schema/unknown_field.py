"""A field that the kind does not have: misspelt, or at the wrong level."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.schema import broken, certainty, notes, stays_taken, unheld
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
    gives_way=("GPU316",),
    fix="both",
)


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield unknown fields, with what was meant by them."""
    for found in broken(one, context, "unknown-field"):
        severity, confidence, doubt = certainty(one, context)
        if found.hint is None and doubt is None and (doubt := unheld(one, context)) is not None:
            # Where nothing tells what else was meant, another release may have it.
            confidence = "likely"
        name = found.path[-1]
        yield RawFinding(
            one.path(*found.path),
            f"`{one.kind}` has no `{format_path(found.path)}`: kubectl rejects the object, "
            f"other clients silently drop `{name}`",
            note=notes(found.hint, _newer(one, context, found), doubt),
            key=True,
            fix=_fix(one, found, context),
            severity=severity,
            confidence=confidence,
        )


def _newer(one: Object, context: Context, found: SchemaViolation) -> str | None:
    """Return the first later Kubernetes that has the field."""
    versions = supported_versions()
    for version in versions[versions.index(context.kubernetes) + 1 :]:
        if found not in validate(one.value, version):
            return f"Kubernetes {version} has it; the profile says {context.kubernetes}"
    return None


def _fix(one: Object, found: SchemaViolation, context: Context) -> Fix | None:
    """Return its right name, or its right place, where there is exactly one, it is free, and it
    takes what is written."""
    fix = _named(one, found)
    return fix if fix is None or stays_taken(one, fix.changes, context) else None


def _named(one: Object, found: SchemaViolation) -> Fix | None:
    meant, old = found.meant, found.path
    if meant is None or _has(one.value, meant):
        return None
    here = one.path(*old)
    if meant[:-1] == old[:-1]:
        # Nothing else can have been meant by other capitals.
        safe = str(meant[-1]).lower() == str(old[-1]).lower()
        return Fix(f"write `{meant[-1]}`", (Rename(here, str(meant[-1])),), safe)
    for end, step in enumerate(meant):
        # Of several containers, who knows which was meant; none is to be made up.
        if isinstance(step, int) and len(_list(at(one.value, meant[:end]))) != 1:
            return None
    moved = (Put(one.path(*meant), at(one.value, old)), Drop(here, emptied=True))
    return Fix(f"move it to `{format_path(meant[:-1])}`", moved)


def _has(value: object, path: Path) -> bool:
    holder = at(value, path[:-1])
    return isinstance(holder, dict) and path[-1] in holder


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
