"""Pods that Volcano starts together, some of which are made when others have started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU783",
    "waits-for-itself",
    "warning",
    "A Volcano Job waits for pods that it creates only after it starts",
    fix="unsafe",
)
_INSIDE: dict[str, Path] = {"Job": ("spec",), "CronJob": ("spec", "jobTemplate", "spec")}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield tasks with `dependsOn`, which have no pods until others run, and count for the
    start."""
    inside = _INSIDE[obj.kind]
    spec = mapping(at(obj.value, inside))
    tasks = [mapping(task) for task in items(spec.get("tasks"))]
    later = [index for index, task in enumerate(tasks) if _awaits(task)]
    counts = [whole(task.get("replicas", 1), 0) for task in tasks]
    known_counts = [count for count in counts if count is not None]
    least = _least(spec, tasks)
    if not later or len(known_counts) < len(counts) or least is None:
        return
    first = sum(count for index, count in enumerate(known_counts) if index not in later)
    if least <= first:
        return
    is_written = "minAvailable" in spec
    path = obj.path(*inside, "minAvailable")
    which = names([text(tasks[index].get("name")) or f"task {index}" for index in later])
    yield RawFinding(
        path if is_written else obj.path(*inside, "tasks", later[0], "dependsOn"),
        (
            f"the job stays Pending: Volcano starts no pod before {least} pods exist, but {which} "
            f"depends on other tasks, so only {first} {'pod exists' if first == 1 else 'pods exist'}"
        )
        + ("" if is_written else " (without `minAvailable` Volcano waits for all pods)"),
        note="set `minAvailable` to at most the number of pods in tasks without `dependsOn`",
        fix=set_field(path, first) if first else None,
        confidence="likely",
        related=(
            RelatedPlace(
                obj.number,
                obj.path(*inside, "tasks", later[0], "dependsOn"),
                "created after others run",
            ),
        )
        if is_written
        else (),
    )


def _awaits(task: dict[str, Any]) -> bool:
    return any(text(dependency) for dependency in items(mapping(task.get("dependsOn")).get("name")))


def _least(spec: dict[str, Any], tasks: list[dict[str, Any]]) -> int | None:
    """Return the minimum number of pods; if not set, or 0, its webhook adds up those of the tasks."""
    if "minAvailable" in spec:
        minimum = whole(spec["minAvailable"], 0)
        if minimum is None or minimum > 0:
            return minimum
    counts = [whole(task.get("minAvailable", task.get("replicas", 1)), 0) for task in tasks]
    known_counts = [count for count in counts if count is not None]
    return sum(known_counts) if len(known_counts) == len(counts) else None
