"""A rank that waits for the others without an end, in a run that nothing ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuspec.enumeration import counted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.gangs import gang_of
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.references import labels_at

RULE = Rule(
    "GPU753",
    "waits-without-end",
    "warning",
    "A rank waits for the others indefinitely, and nothing ends the run",
)

_BOUND = "kueue.x-k8s.io/max-exec-time-seconds"
_DEADLINE = "activeDeadlineSeconds"
_LOOKED_AT = 10_000
"""Characters of a script: who waits for others does so before the work."""
# `until ssh "$host" true; do sleep 3; done`, `while ! nc -z $head 6379; do …`.
_LOOP = re.compile(
    r"\b(?P<head>until\s+\S|while\s+!\s)(?P<asked>.{0,300}?)\bdo\b(?P<body>.{0,600}?)\bdone\b", re.S
)
# A loop with one of these counts its tries, or is left some other way.
_ENDS = re.compile(r"\b(?:break|exit|return|timeout|SECONDS)\b|\(\(|-(?:lt|le|gt|ge)\b")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield finite work of several ranks, by the scripts of its containers."""
    gang = gang_of(obj)
    if gang is None or any(pod.life != "finite" for pod in obj.pods):
        return
    first_loop = next((loop_entry for pod in obj.pods for loop_entry in _loops(pod)), None)
    if first_loop is None or _is_bounded(obj):
        return
    path, loop = first_loop
    gpus = sum(pod.gpus * (pod.role.count or 1) for pod in obj.pods)
    yield RawFinding(
        path,
        f"`{loop}` waits indefinitely, and nothing ends the run: if one rank never starts, the "
        f"other ranks hold their part of {counted(gpus, 'GPU')}",
        note=f"set `{_DEADLINE}`, or limit the number of tries",
        confidence="likely",
    )


def _loops(pod: Pod) -> Iterator[tuple[Path, str]]:
    for container in pod.every:
        for field in ("command", "args"):
            for index, item in enumerate(items(container.value.get(field))):
                if not isinstance(item, str) or "sleep" not in item:
                    continue
                match = _LOOP.search(item, 0, _LOOKED_AT)
                if match and "sleep" in match["body"] and not _ends(item, match):
                    yield container.path(field, index), _shown(match)


def _ends(script: str, loop: re.Match[str]) -> bool:
    before = script[: loop.start()].rpartition("\n")[2]
    return bool(_ENDS.search(loop[0]) or "timeout" in before)


def _shown(loop: re.Match[str]) -> str:
    words = f"{loop['head']}{loop['asked']}".strip().rstrip(";").split()
    return " ".join(words[:4]) + (" …" if len(words) > 4 else "")


def _is_bounded(obj: Object) -> bool:
    """Return whether anything gives it a time: itself, a level below, its queue."""
    labels = mapping(at(obj.value, labels_at(obj)))
    return _BOUND in labels or _has_deadline(obj.value)


def _has_deadline(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get(_DEADLINE) is not None or any(map(_has_deadline, value.values()))
    return isinstance(value, list) and any(map(_has_deadline, value))
