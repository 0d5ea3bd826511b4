"""The check of pods in an object whose kind has no schema: as pods of Kubernetes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.manifests.values import at
from gpuspec.objects.scheduling import is_whole
from gpuspec.validation import validate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.validation import SchemaViolation

_POD: Path = ("template", "spec")
_CONTAINER: Path = (*_POD, "containers", 0)
_STAND_IN = {"name": "container", "image": "image"}
_ALIKE = 0.85
"""How alike a misspelt field and the right one are: `source` is 0.8 of `resources`."""
_BY = "the API server rejects the object or its pods"
_OF_THE_POD = frozenset({"volumeMounts", "volumeDevices", "claims"})
"""Lists of a container whose items name a part of the pod, which an operator may add."""


def pod_violations(obj: Object, kubernetes: str) -> tuple[SchemaViolation, ...]:
    """Return what Kubernetes does not accept in an object's pods; paths are from the object."""
    return tuple(violation for pod in obj.pods for violation in _of_pod(pod, kubernetes))


def _of_pod(pod: Pod, kubernetes: str) -> Iterator[SchemaViolation]:
    base = len(pod.object.base)
    # A workflow's template has fields of its own, and a flat pod those of its container.
    if not pod.object.traits.argo and all(
        container.value is not pod.spec for container in pod.every
    ):
        loose = pod.object.traits.loose
        spec = {key: value for key, value in pod.spec.items() if key not in loose}
        spec["containers"] = spec.get("containers") or [_STAND_IN]
        yield from _violations(pod, spec, _POD, pod.base[base:], kubernetes)
    for container in pod.every:
        path = container.path()
        if container.value is not pod.spec and isinstance(path[-1], str):
            value = pod.spec[str(path[-1])]
            spec = {**pod.spec, "containers": [_STAND_IN | value]}
            yield from _violations(pod, spec, _CONTAINER, path[base:], kubernetes)


def _violations(
    pod: Pod, spec: dict[str, Any], part: Path, path: Path, kubernetes: str
) -> Iterator[SchemaViolation]:
    """Yield the violations below a part of a pod that lies at a path of the object."""
    template = {"apiVersion": "v1", "kind": "PodTemplate", "template": {"spec": spec}}
    for violation in validate(template, kubernetes):
        if violation.path[: len(part)] != part or violation.reason == "missing-field":
            continue
        if at(spec, violation.path[len(_POD) :]) is None or _may_be_added(pod, violation):
            continue
        if violation.reason == "unknown-field" and not _is_misspelt(violation):
            continue
        right = violation.meant and (*path, *violation.meant[len(part) :])
        inside = (*path, *violation.path[len(part) :])
        yield replace(violation, path=inside, meant=right, in_pod=True, by=_BY)


def _is_misspelt(violation: SchemaViolation) -> bool:
    """Return whether an unknown field is no other than one of a pod; any other may be the
    operator's own."""
    path, right = violation.path, violation.meant
    if right is None or right[:-1] != path[:-1]:
        return False
    return SequenceMatcher(None, str(path[-1]), str(right[-1])).ratio() >= _ALIKE


def _may_be_added(pod: Pod, violation: SchemaViolation) -> bool:
    """Return whether a container names a part of the pod that its operator may add."""
    if violation.reason != "refused" or is_whole(pod):
        return False
    return not _OF_THE_POD.isdisjoint(map(str, violation.path[-3:-2]))
