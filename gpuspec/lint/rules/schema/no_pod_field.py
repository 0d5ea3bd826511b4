"""A field of a pod on a kind that makes pods and has no such field."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU873",
    "no-pod-field",
    "warning",
    "A workflow sets a pod field that workflows do not have",
)
_FIELDS = (
    *("enableServiceLinks", "hostIPC", "hostPID", "nodeName", "overhead", "preemptionPolicy"),
    *("priorityClassName", "resourceClaims", "runtimeClassName", "shareProcessNamespace"),
    *("terminationGracePeriodSeconds", "topologySpreadConstraints"),
)
_IN_ITS_PLACE = {"priorityClassName": "podPriorityClassName"}
"""The corresponding field of a workflow."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the specs of workflows, and their templates: of these Argo makes the pods field by
    field."""
    spec: Path = ("spec", "workflowSpec") if obj.kind == "CronWorkflow" else ("spec",)
    templates = items(at(obj.value, (*spec, "templates")))
    for steps in (spec, *((*spec, "templates", index) for index, _ in enumerate(templates))):
        for field, value in mapping(at(obj.value, steps)).items():
            if field in _FIELDS and (steps == spec or field != "priorityClassName"):
                yield _found(obj.path(*steps, field), field, value, whole=steps == spec)


def _found(path: Path, field: str, value: object, *, whole: bool) -> RawFinding:
    right_field = _IN_ITS_PLACE.get(field) if whole else None
    patch = json.dumps({field: value})
    holder = "a Workflow" if whole else "a template of a Workflow"
    return RawFinding(
        path,
        (
            f"`{field}` is not a field of {holder}: the API server rejects or drops the field, and "
            "the pods are created without it"
        ),
        note=f"write `{right_field}` instead"
        if right_field
        else f"set `podSpecPatch: '{patch}'` instead",
        key=True,
        confidence="likely",
    )
