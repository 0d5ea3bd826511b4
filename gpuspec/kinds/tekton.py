"""Tekton: tasks, whose steps are the containers of one pod. Sources: pkg/apis/pipeline of
tektoncd/pipeline (1.15), v1 and v1beta1; docs/compute-resources.md: a pod requests the sum of its
steps, although one step runs after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind
from gpuspec.manifests.values import at, items, mapping

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "tekton.dev"
_LISTS = ("steps", "sidecars")


def _of_run(value: dict[str, Any], inside: Path) -> dict[str, Path]:
    """Return the pod fields of a TaskRun, and of a task in a PipelineRun."""
    fields = _fields(value, ("spec", "podTemplate"))
    if "pipelineSpec" not in inside:
        return _besides(value, inside, fields)
    fields |= _fields(value, ("spec", "taskRunTemplate", "podTemplate"))
    task = mapping(at(value, inside[:-1])).get("name")
    for index, run in enumerate(items(at(value, ("spec", "taskRunSpecs")))):
        if mapping(run).get("pipelineTaskName") == task:
            fields |= _fields(value, ("spec", "taskRunSpecs", index, "podTemplate"))
    return _besides(value, inside, fields)


def _fields(value: dict[str, Any], template: Path) -> dict[str, Path]:
    return {field: (*template, field) for field in mapping(at(value, template))}


def _besides(value: dict[str, Any], inside: Path, fields: dict[str, Path]) -> dict[str, Path]:
    """Return the fields that the task itself does not have: its volumes come first."""
    task = mapping(at(value, inside))
    return {field: path for field, path in fields.items() if field not in task}


def _kind(name: str, *tasks: str, is_run: bool) -> Kind:
    return Kind(
        GROUP,
        name,
        "workload" if is_run else "runtime",
        specs=tasks,
        lists=_LISTS,
        substitutes=True,
        elsewhere=_of_run if is_run else None,
        life="finite",
        runs_once=is_run,
        steps="tasks" in "".join(tasks),
        template=not is_run,
        # Volumes may come from a run's template, fields of steps from `stepTemplate`.
        completed=True,
        plainly=(lambda value: True) if is_run else None,
        image_filled=True,
    )


KINDS = (
    _kind("Task", "spec", is_run=False),
    _kind("Pipeline", "spec.tasks.*.taskSpec", "spec.finally.*.taskSpec", is_run=False),
    _kind("TaskRun", "spec.taskSpec", is_run=True),
    _kind(
        "PipelineRun",
        "spec.pipelineSpec.tasks.*.taskSpec",
        "spec.pipelineSpec.finally.*.taskSpec",
        is_run=True,
    ),
)
