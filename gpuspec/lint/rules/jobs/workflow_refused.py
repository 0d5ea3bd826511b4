"""A workflow that names templates, tasks or parameters which it does not have.

Source: Argo Workflows 3.7, workflow/validate/validate.go.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.reading.workflows import spec_path, templates_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU893",
    "workflow-refused",
    "error",
    "A workflow names a template, task or parameter that it does not have",
)
_REFUSED = "Argo ends the workflow at its start (`spec is invalid`)"
_INPUT = re.compile(r"\{\{\s*inputs\.(parameters|artifacts)\.([\w-]+)")
_GLOBAL = re.compile(r"\{\{\s*workflow\.parameters\.([\w-]+)\s*\}\}")
_RESULT = re.compile(r"\{\{\s*(tasks|steps)\.([\w-]+)\.")
_TERM = re.compile(r"(?<![.\w-])([A-Za-z_][\w-]*)(?:\.[A-Za-z]+)?")
_GIVEN = ("value", "default", "valueFrom")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield names that are resolved inside of one object; those of other objects are not looked at."""
    spec = mapping(at(obj.value, spec_path(obj)))
    templates = {text(template.get("name")): template for _, template in templates_of(obj)}
    if not templates or spec.get("workflowTemplateRef") or _filled(*templates):
        return
    for field in ("entrypoint", "onExit"):
        name = text(spec.get(field))
        if name and name not in templates and not _filled(name):
            yield _missing(obj.path(*spec_path(obj), field), "template", name, templates)
    arguments = _names(mapping(spec.get("arguments")), "parameters")
    defaults = _inputs(mapping(spec.get("templateDefaults")))
    for base, template in templates_of(obj):
        path = obj.path(*base)
        yield from _references(path, template, arguments, defaults)
        for tasks_path, tasks in _groups(template):
            yield from _tasks((*path, *tasks_path), tasks, templates)
        yield from _order(path, template)


def _groups(template: dict[str, Any]) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Yield the lists of a template's tasks, or of its parallel steps."""
    tasks = items(mapping(template.get("dag")).get("tasks"))
    if tasks:
        yield ("dag", "tasks"), [mapping(task) for task in tasks]
    for index, group in enumerate(items(template.get("steps"))):
        yield ("steps", index), [mapping(step) for step in items(group)]


def _tasks(
    path: Path, tasks: list[dict[str, Any]], templates: dict[str, dict[str, Any]]
) -> Iterator[RawFinding]:
    for index, task in enumerate(tasks):
        name = text(task.get("template"))
        if not name or task.get("templateRef") or task.get("inline") or _filled(name):
            continue
        if name not in templates:
            yield _missing((*path, index, "template"), "template", name, templates)
            continue
        yield from _unsupplied((*path, index), task, templates[name])


def _unsupplied(path: Path, task: dict[str, Any], template: dict[str, Any]) -> Iterator[RawFinding]:
    """Yield a task that does not pass what its template needs."""
    inputs = mapping(template.get("inputs"))
    passed = _names(mapping(task.get("arguments")), "parameters")
    for parameter in map(mapping, items(inputs.get("parameters"))):
        name = text(parameter.get("name"))
        if (
            name
            and name not in passed
            and not any(parameter.get(field) is not None for field in _GIVEN)
        ):
            close = near(name, passed)
            yield RawFinding(
                (*path, "arguments") if task.get("arguments") else (*path, "template"),
                f"template `{text(template.get('name'))}` needs the parameter `{name}`, which "
                f"this task does not pass: {_REFUSED}",
                note=(f"rename the argument or the parameter: the task passes `{close}`")
                if close
                else None,
            )
            return


def _references(
    path: Path, template: dict[str, Any], arguments: set[str], defaults: set[tuple[str, str]]
) -> Iterator[RawFinding]:
    """Yield expressions that refer to nothing in a template."""
    text_of_template = json.dumps(template, default=str)
    inputs = _inputs(template) | defaults
    for kind, name in dict.fromkeys(_INPUT.findall(text_of_template)):
        if (kind, name) not in inputs:
            close = near(name, {input_name for _, input_name in inputs})
            yield RawFinding(
                (*path, "inputs"),
                f"`{{{{inputs.{kind}.{name}}}}}` is no input of the template: {_REFUSED}",
                note=f"write `{close}`" if close else f"add the input to `inputs.{kind}`",
            )
    for name in dict.fromkeys(_GLOBAL.findall(text_of_template)):
        close = near(name, arguments)
        # Others may be passed when the workflow is submitted.
        if name not in arguments and close:
            yield RawFinding(
                path,
                f"`{{{{workflow.parameters.{name}}}}}` is no parameter, but `{close}` is: {_REFUSED}",
                note=f"write `{{{{workflow.parameters.{close}}}}}`",
                confidence="likely",
            )
    tasks = {text(task.get("name")) for _, group in _groups(template) for task in group}
    for kind, name in dict.fromkeys(_RESULT.findall(text_of_template)):
        if tasks and name not in tasks:
            yield _missing(path, "task" if kind == "tasks" else "step", name, tasks)


def _order(path: Path, template: dict[str, Any]) -> Iterator[RawFinding]:
    """Yield tasks that wait for others which do not exist."""
    tasks = [mapping(task) for task in items(mapping(template.get("dag")).get("tasks"))]
    every = {text(task.get("name")) for task in tasks}
    if _filled(*every):
        return
    for index, task in enumerate(tasks):
        place = (*path, "dag", "tasks", index)
        for name in map(text, items(task.get("dependencies"))):
            if name and name not in every and not _filled(name):
                yield _missing((*place, "dependencies"), "task", name, every)
        for name in _TERM.findall(text(task.get("depends"))):
            if name not in every:
                yield _missing((*place, "depends"), "task", name, every)


def _missing(path: Path, noun: str, name: str, others: Any) -> RawFinding:
    close = near(name, others)
    return RawFinding(
        path,
        f"there is no {noun} `{name}`: {_REFUSED}",
        note=f"write `{close}`"
        if close
        else f"write {choice_of(sorted(others))}"
        if others
        else None,
    )


def _inputs(template: dict[str, Any]) -> set[tuple[str, str]]:
    inputs = mapping(template.get("inputs"))
    return {(kind, name) for kind in ("parameters", "artifacts") for name in _names(inputs, kind)}


def _names(arguments: dict[str, Any], kind: str) -> set[str]:
    return {text(mapping(entry).get("name")) for entry in items(arguments.get(kind))}


def _filled(*names: str) -> bool:
    """Return whether another program writes a name."""
    return any("{{" in name or "$" in name for name in names)
