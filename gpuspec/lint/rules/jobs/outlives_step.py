"""An object with GPUs that a step of a workflow makes, and that goes on when the step has been ended."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.workflows import created_by, spec_path, templates_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.durations import format_duration
from gpuspec.manifests.values import at, mapping, text, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU785",
    "outlives-step",
    "warning",
    "A workflow step times out, but the resource it created keeps its GPUs",
)
_LIMIT = "activeDeadlineSeconds"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield templates that make an object of finite work, under a limit that the object does not
    have."""
    if obj.group != "argoproj.io":
        return
    whole_limit = _limit(obj, spec_path(obj))
    for base, template in templates_of(obj):
        created = created_by(mapping(template.get("resource")))
        limits = [
            limit_seconds
            for limit_seconds in (whole_limit, _limit(obj, base))
            if limit_seconds is not None
        ]
        if created is None or not limits:
            continue
        seconds, path = min(limits, key=lambda limit: limit[0])
        limit = min(_limits(created), default=None)
        if limit is not None and limit <= seconds:
            continue
        kind = text(created.get("kind"))
        remedy = (
            f"the {kind} has no limit of its own"
            if limit is None
            else f"the {kind}'s own limit is {format_duration(limit)}"
        )
        yield RawFinding(
            obj.path(*base, "resource", "manifest"),
            f"`{_LIMIT}: {seconds}` ends the step, but the {kind} that it created keeps "
            f"running on its GPUs: {remedy}",
            note=f"set a time limit in the {kind} too: `setOwnerReference: true` deletes the {kind} only "
            "with the Workflow, not with the step",
            confidence="likely",
            related=(RelatedPlace(obj.number, path, "ends the step"),),
        )


def _limit(obj: Object, base: Path) -> tuple[int, Path] | None:
    seconds = whole(at(obj.value, (*base, _LIMIT)))
    return (seconds, obj.path(*base, _LIMIT)) if seconds else None


def _limits(value: object) -> Iterator[int]:
    """Yield the time limits that an object has, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            seconds = whole(inner) if key == _LIMIT else None
            if seconds:
                yield seconds
            yield from _limits(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _limits(inner)
