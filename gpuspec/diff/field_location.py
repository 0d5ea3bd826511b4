"""The location of a field in an object, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff.steps import Pattern, Pick, Steps, begins, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.diff.model import PodUse
    from gpuspec.manifests import Path

_LISTS = {
    "containers": "container",
    "initContainers": "init container",
    "ephemeralContainers": "ephemeral container",
}


def pattern(path: Path) -> Pattern:
    """Return a path with a wildcard for each index."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def patterns(pods: Iterable[PodUse]) -> tuple[tuple[Pattern, ...], ...]:
    """Return the patterns of each kind of pod in an object: the spec, and the metadata next to
    it."""
    unique: dict[tuple[Pattern, ...], None] = {}
    for pod in pods:
        spec = pattern(pod.path)
        beside = ((*spec[:-1], "metadata"),) if spec[-1:] == ("spec",) and len(spec) > 1 else ()
        unique[spec, *beside] = None
    return tuple(unique)


def place(steps: Steps, pods: Iterable[tuple[Pattern, ...]], *, several: bool) -> tuple[str, str]:
    """Return the part of the object with a field, and the field's path within it.

    `several`: the object has more than one kind of pod, so each is named.
    """
    for spec, *beside in pods:
        if len(spec) < 2 and spec != ("spec",):
            continue
        if begins(steps, spec):
            role = _role(steps[: len(spec)], spec) if several else ""
            return _inside(steps[len(spec) :], role)
        for prefix in beside:
            if begins(steps, prefix):
                role = _role(steps[: len(prefix)], prefix) if several else ""
                return _named("pod", role), written(steps[len(prefix) - 1 :])
    return "", written(steps)


def _inside(rest: Steps, role: str) -> tuple[str, str]:
    if len(rest) > 1 and rest[0] in _LISTS and isinstance(rest[1], Pick):
        name = rest[1].text.partition("=")[2] or rest[1].text
        part = f"{_LISTS[rest[0]]} {name}"
        return _named(part, role), written(rest[2:])
    return _named("pod", role), written(rest)


def _named(part: str, role: str) -> str:
    return f"{part} of {role}" if role else part


def _role(steps: Steps, spec: Pattern) -> str:
    """Return the name of a kind of pod: the list item, or the last key that is not part of the
    layout."""
    picks = [step.text.partition("=")[2] for step in steps if isinstance(step, Pick)]
    if picks:
        return picks[-1]
    named_steps = [step for step in spec if step not in ("spec", "template", "metadata", "*")]
    return named_steps[-1] if named_steps else ""
