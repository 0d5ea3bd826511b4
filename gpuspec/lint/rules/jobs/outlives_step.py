"""An object with GPUs that a step of a workflow makes, and that goes on when the step has been ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuspec import hardware, kinds
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
from gpuspec.manifests import InputError, Path, read
from gpuspec.manifests.durations import format_duration
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU785",
    "outlives-step",
    "warning",
    "A workflow step times out, but the resource it created keeps its GPUs",
)
_LIMIT = "activeDeadlineSeconds"
_MAKES = ("create", "apply")
_RESOURCE = re.compile(r"[\w.-]+/[\w.-]+")
_BLANK = re.compile(r"\{\{[^{}]*\}\}")
"""What Argo fills in."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield templates that make an object of finite work, under a limit that the object does not
    have."""
    if obj.group != "argoproj.io":
        return
    inside: Path = (
        ("spec",) if mapping(obj.spec.get("workflowSpec")) == {} else ("spec", "workflowSpec")
    )
    whole_limit = _limit(obj, inside)
    for index, template in enumerate(map(mapping, items(at(obj.value, (*inside, "templates"))))):
        resource = mapping(template.get("resource"))
        made = _made(resource)
        base = (*inside, "templates", index)
        limits = [found for found in (whole_limit, _limit(obj, base)) if found is not None]
        if made is None or not limits:
            continue
        seconds, path = min(limits, key=lambda limit: limit[0])
        limit = min(_limits(made), default=None)
        if limit is not None and limit <= seconds:
            continue
        kind = text(made.get("kind"))
        what = (
            f"the {kind} has no limit of its own"
            if limit is None
            else f"its own limit is {format_duration(limit)}"
        )
        yield RawFinding(
            obj.path(*base, "resource", "manifest"),
            f"`{_LIMIT}: {seconds}` ends the step, but the {kind} that it created keeps "
            f"running on its GPUs: {what}",
            note=f"give the {kind} its own time limit; `setOwnerReference: true` deletes it only with "
            "the Workflow, not with the step",
            confidence="likely",
            related=(Related(obj.number, path, "ends the step"),),
        )


def _limit(obj: Object, base: Path) -> tuple[int, Path] | None:
    seconds = whole(at(obj.value, (*base, _LIMIT)))
    return (seconds, obj.path(*base, _LIMIT)) if seconds else None


def _made(resource: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that a template makes, where it is finite work with accelerators."""
    manifest = text(resource.get("manifest"))
    if resource.get("action") not in _MAKES or not manifest:
        return None
    if not any(hardware.is_gpu_resource(name) for name in _RESOURCE.findall(manifest)):
        return None
    try:
        documents = read(_BLANK.sub("x", manifest), "manifest")
    except (InputError, ValueError):
        return None
    made = mapping(documents[0].value) if len(documents) == 1 else {}
    group, _, _ = text(made.get("apiVersion")).rpartition("/")
    kind = kinds.kind_of(group, text(made.get("kind")))
    return made if kind is not None and kind.life == "finite" else None


def _limits(value: object) -> Iterator[int]:
    """Yield the time limits that an object has, at any depth."""
    if isinstance(value, dict):
        for key, each in value.items():
            seconds = whole(each) if key == _LIMIT else None
            if seconds:
                yield seconds
            yield from _limits(each)
    elif isinstance(value, list):
        for each in value:
            yield from _limits(each)
