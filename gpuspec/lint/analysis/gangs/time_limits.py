"""Time limits of an object, each with its scope: a run, a step, a pod, a program.

Sources: Kubernetes, Job and Pod (activeDeadlineSeconds), CronJob (concurrencyPolicy); Argo
Workflows, field reference; KubeRay 1.7, RayJob; Kubeflow, runPolicy; Kueue 0.19, maximum execution
time; GNU coreutils, timeout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.schedules import least_gap
from gpuspec.manifests.values import at, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.references import labels_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object

_DEADLINES = ("activeDeadlineSeconds", "preRunningDeadlineSeconds")
"""Fields with limits; in one mapping a later one is inside an earlier one."""
_ELSEWHERE = {"runPolicy": 1, "jobTargetRef": 0}
"""Mappings with a limit of one of their parents, and the number of levels up to it."""
_KUEUE = "kueue.x-k8s.io/max-exec-time-seconds"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DEEPEST = 12
"""The deepest level with a limit."""


class TimeLimit(msgspec.Struct, frozen=True):
    """One limit."""

    seconds: int
    path: Path
    """The path from the document's root."""
    scope: Path
    """The path, from the object, of the part that it ends."""
    said: str
    """The limit as written, in backquotes."""
    order: int = 0

    def is_within(self, time_limit: TimeLimit) -> bool:
        """Return whether another limit ends everything that this one ends."""
        if self.scope == time_limit.scope:
            return self.order > time_limit.order
        return self.scope[: len(time_limit.scope)] == time_limit.scope


def time_limits(obj: Object) -> list[TimeLimit]:
    """Return all time limits in an object."""
    limits = list(_written(obj, obj.value, ()))
    labels = labels_at(obj)
    seconds = read_whole(text(mapping(at(obj.value, labels)).get(_KUEUE)))
    if seconds:
        path = obj.path(*labels, _KUEUE)
        limits.append(TimeLimit(seconds, path, (), f"`{_KUEUE}: {seconds}`", -1))
    limits += _replaced(obj)
    for pod in obj.pods:
        for container in pod.containers:
            limits += _timeouts(obj, container)
    return limits


def _written(obj: Object, value: Any, inside: Path) -> Iterator[TimeLimit]:
    if len(inside) > _DEEPEST:
        return
    if isinstance(value, dict):
        for order, field in enumerate(_DEADLINES):
            seconds = _seconds(value.get(field))
            if seconds:
                up = _ELSEWHERE.get(str(inside[-1]), 0) if inside else 0
                scope = inside[: len(inside) - up]
                path = obj.path(*inside, field)
                yield TimeLimit(seconds, path, scope, f"`{field}: {seconds}`", order)
        for key, inner in value.items():
            if isinstance(key, str):
                yield from _written(obj, inner, (*inside, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _written(obj, inner, (*inside, index))


def _seconds(value: object) -> int | None:
    if isinstance(value, str):
        return read_whole(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _replaced(obj: Object) -> Iterator[TimeLimit]:
    """Yield the next run as a limit, if a schedule replaces the last one."""
    inside = {"CronJob": "jobTemplate", "CronWorkflow": "workflowSpec"}.get(obj.kind)
    if inside is None or obj.spec.get("concurrencyPolicy") != "Replace":
        return
    schedule = text(obj.spec.get("schedule"))
    gap = least_gap(schedule)
    if gap:
        subject = f"`concurrencyPolicy: Replace` (`schedule: {schedule}`)"
        yield TimeLimit(gap, obj.path("spec", "schedule"), ("spec", inside), subject)


def _timeouts(obj: Object, container: PodContainer) -> Iterator[TimeLimit]:
    """Yield `timeout 2h torchrun …` in a command or a script."""
    words = container.words.all
    scope = container.path()[len(obj.base) :]
    for index, word in enumerate(words):
        if word.text.rpartition("/")[2] != "timeout":
            continue
        before = ""
        for argument in words[index + 1 : index + 6]:
            seconds = _duration(argument.text)
            if seconds and before not in ("-k", "-s", "--kill-after", "--signal"):
                yield TimeLimit(seconds, argument.path, scope, f"`timeout {argument.text}`", 1)
            if not argument.text.startswith("-") and before not in ("-k", "-s"):
                break
            before = argument.text


def _duration(duration: str) -> int | None:
    unit = _UNITS.get(duration[-1:])
    number = read_whole(duration if unit is None else duration[:-1])
    return None if number is None else number * (unit or 1)
