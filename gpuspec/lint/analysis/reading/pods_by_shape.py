"""The check of pods in an object whose kind has no schema: as pods of Kubernetes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.manifests.values import at
from gpuspec.objects.scheduling import is_whole
from gpuspec.validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
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
    traits = pod.object.traits
    # A workflow's template has fields of its own, and a flat pod those of its container.
    if not traits.argo and all(container.path() != pod.base for container in pod.every):
        apart = (*traits.loose, *traits.lists)
        spec = {key: value for key, value in pod.spec.items() if key not in apart}
        spec["containers"] = spec.get("containers") or [_STAND_IN]
        yield from _violations(pod, spec, _POD, pod.path, kubernetes)
    for container in pod.every:
        path = container.path()
        if path != pod.base and (
            isinstance(path[-1], str) or path[-2] in traits.lists or traits.argo
        ):
            value = _STAND_IN | container.value
            if container.resources_at in value:
                value["resources"] = value.pop(container.resources_at)
            spec = {**pod.spec, "containers": [value]}
            yield from _violations(pod, spec, _CONTAINER, _in_container(container), kubernetes)


def _in_container(container: PodContainer) -> Callable[..., Path]:
    """Return a function that returns the path of a container's field by its name in Kubernetes."""

    def path(*steps: str | int) -> Path:
        if steps[:1] == ("resources",):
            steps = (container.resources_at, *steps[1:])
        return container.path(*steps)

    return path


def _violations(
    pod: Pod, spec: dict[str, Any], part: Path, path: Callable[..., Path], kubernetes: str
) -> Iterator[SchemaViolation]:
    """Yield the violations below a part of a pod, whose fields have the paths that `path` returns."""
    base = len(pod.object.base)
    template = {"apiVersion": "v1", "kind": "PodTemplate", "template": {"spec": spec}}
    for violation in validate(template, kubernetes):
        if violation.path[: len(part)] != part or violation.reason == "missing-field":
            continue
        value = at(spec, violation.path[len(_POD) :])
        if value is None or _may_be_added(pod, violation):
            continue
        if pod.object.traits.substitutes and "$(" in str(value):
            continue
        if violation.reason == "unknown-field" and not _is_misspelt(violation):
            continue
        right = violation.meant and path(*violation.meant[len(part) :])[base:]
        inside = path(*violation.path[len(part) :])[base:]
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
    if violation.reason != "refused" or _OF_THE_POD.isdisjoint(map(str, violation.path[-3:-2])):
        return False
    return not is_whole(pod) or "volumeClaimTemplates" in pod.object.spec
