"""The check of the pods that an operator creates from an object: as pods of Kubernetes.

The schema of a custom kind allows much that the API server does not allow in a pod. An operator then
creates pods that the server rejects.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gpuspec.kinds import kind_of, mappings_at
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.scheduling import is_whole
from gpuspec.validation import validate
from gpuspec.validation.bundle import load
from gpuspec.validation.walk import without

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
_OF_THE_POD = frozenset({"volumeMounts", "volumeDevices", "claims"})
"""Lists of a container whose items name a part of the pod, which an operator may add."""
_OF_FLAT_POD = frozenset({"tolerations", "affinity", "nodeSelector"})
_OF_WORKFLOWS = frozenset({"hostAliases", "initContainers", "volumes"})
_OF_FLAT_CONTAINER = frozenset({"env", "envFrom", "resources"})
"""Fields that have a pod's form where the pod lies flat: probes, for example, may have another."""
_ATOMIC = frozenset({"affinity", "tolerations"})
"""Fields of a pod to whose items nothing is added: a merge replaces them, or appends to them."""
_OFTEN_SET = frozenset({"hostname", "subdomain", "restartPolicy", "schedulerName", "nodeName"})
"""Fields of a pod that many operators set, whatever the object has there."""
_SIGN = "look at the events of the object and the log of its operator: the API server may store the object"


def pod_violations(
    obj: Object, kubernetes: str, of_object: tuple[SchemaViolation, ...]
) -> tuple[SchemaViolation, ...]:
    """Return what Kubernetes does not accept in the pods of a custom object, besides the object's own
    violations; paths are from the object.
    """
    if not obj.pods or (obj.api_version, obj.kind) in load(kubernetes):
        return ()  # the pods of Kubernetes' own kinds are checked with the object
    if any(violation.reason == "not-served" for violation in of_object):
        return ()
    has_schema = all(violation.reason != "no-schema" for violation in of_object)
    causes = [violation for violation in of_object if violation.path]
    violations = {
        (violation.path, violation.message): violation
        for pod in obj.pods
        for violation in _of_pod(pod, kubernetes)
        if not has_schema or violation.reason == "refused"
    }
    violations |= {
        (violation.path, violation.message): violation for violation in _of_jobs(obj, kubernetes)
    }
    return tuple(
        violation
        for violation in violations.values()
        if not any(_follows(violation, cause) for cause in causes)
    )


def _follows(violation: SchemaViolation, cause: SchemaViolation) -> bool:
    """Return whether a violation in a pod is one of the object's own, or may follow from it."""
    shorter = min(len(violation.path), len(cause.path))
    if violation.path[:shorter] == cause.path[:shorter]:
        return True
    if cause.reason == "refused":
        return False
    # A field that the server does not read may be the one that the pod lacks.
    around = cause.path[:-1]
    return around in (violation.path, violation.path[:-1]) or (
        violation.lacking and violation.path[: len(around)] == around
    )


def _of_pod(pod: Pod, kubernetes: str) -> Iterator[SchemaViolation]:
    traits = pod.object.traits
    flat = any(container.path() == pod.base for container in pod.every)
    if traits.argo or flat:
        # A workflow's template has fields of its own, and a flat pod those of its container.
        fields = _OF_FLAT_POD | _OF_WORKFLOWS if traits.argo else _OF_FLAT_POD
        spec = {field: pod.spec[field] for field in sorted(fields & pod.spec.keys())}
        yield from _refused(pod, spec | {"containers": [_STAND_IN]}, _POD, pod.path, kubernetes)
    else:
        apart = (*traits.loose, *traits.lists)
        spec = {key: value for key, value in pod.spec.items() if key not in apart}
        spec["containers"] = spec.get("containers") or [_STAND_IN]
        yield from _violations(pod, spec, _POD, pod.path, kubernetes)
    for container in pod.every:
        path = container.path()
        if path == pod.base:
            value = {field: container.value.get(field) for field in _OF_FLAT_CONTAINER}
            value["resources"] = {} if traits.own_devices else container.resources
            spec = {"containers": [_STAND_IN | value]}
            yield from _refused(pod, spec, _CONTAINER, _in_container(container), kubernetes)
        elif isinstance(path[-1], str) or path[-2] in traits.lists or traits.argo:
            value = _STAND_IN | container.value
            if container.resources_at in value:
                value["resources"] = value.pop(container.resources_at)
            spec = {**pod.spec, "containers": [value]}
            yield from _violations(pod, spec, _CONTAINER, _in_container(container), kubernetes)


def _of_jobs(obj: Object, kubernetes: str) -> Iterator[SchemaViolation]:
    """Yield what Kubernetes does not accept in the Jobs that an operator creates, outside of their
    pods, but for the `restartPolicy`."""
    for path, spec in mappings_at(obj.value, obj.traits.jobs):
        template = mapping(spec.get("template"))
        # Both are the defaults of JobSet: pkg/webhooks/jobset_webhook.go.
        pod = {"restartPolicy": "OnFailure", **mapping(template.get("spec"))}
        job = {"completionMode": "Indexed", **spec, "template": {**template, "spec": pod}}
        value = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": job}
        for violation in validate(value, kubernetes):
            inside = violation.path[1:]
            if violation.reason != "refused" or violation.path[:1] != ("spec",):
                continue
            if inside[:1] == ("template",) and inside[1:] != ("spec", "restartPolicy"):
                continue
            if obj.traits.template and at(spec, inside) is None:
                continue  # the object that uses it may add the field
            doubt = f"check the objects that use the `{obj.kind}`" if obj.traits.template else None
            yield replace(
                violation,
                path=(*path, *inside),
                in_pod=True,
                by=f"the API server rejects the Jobs created from the `{obj.kind}`",
                sign=_SIGN,
                doubt=doubt,
            )


def _in_container(container: PodContainer) -> Callable[..., Path]:
    """Return a function that returns the path of a container's field by its name in Kubernetes."""

    def path(*steps: str | int) -> Path:
        if steps[:1] == ("resources",):
            steps = (container.resources_at, *steps[1:])
        return container.path(*steps)

    return path


def _refused(
    pod: Pod, spec: dict[str, Any], part: Path, path: Callable[..., Path], kubernetes: str
) -> Iterator[SchemaViolation]:
    for violation in _violations(pod, spec, part, path, kubernetes):
        if violation.reason == "refused":
            yield violation


def _violations(
    pod: Pod, spec: dict[str, Any], part: Path, path: Callable[..., Path], kubernetes: str
) -> Iterator[SchemaViolation]:
    """Yield the violations below a part of a pod, whose fields have the paths that `path` returns."""
    base = len(pod.object.base)
    spec = {**spec, "volumes": [*items(spec.get("volumes")), *_added_volumes(pod, spec)]}
    template = {"apiVersion": "v1", "kind": "PodTemplate", "template": {"spec": spec}}
    for violation in _of_template(template, kubernetes):
        if violation.path[: len(part)] != part or violation.reason == "missing-field":
            continue
        inside = violation.path[len(_POD) :]
        value = at(spec, inside)
        if value is None and not _is_complete(pod, violation, inside):
            continue
        if _is_changed(pod, violation, inside):
            continue
        if pod.object.traits.substitutes and "$(" in str(value):
            continue
        right = violation.meant and path(*violation.meant[len(part) :])[base:]
        placed = replace(violation, path=path(*violation.path[len(part) :])[base:], meant=right)
        yield _judged(pod, placed, inside)


def _of_template(template: dict[str, Any], kubernetes: str) -> tuple[SchemaViolation, ...]:
    """Return the violations of a template without the operator's own fields."""
    violations = validate(template, kubernetes)
    own_fields = [
        violation.path
        for violation in violations
        if violation.reason == "unknown-field" and not _is_misspelt(violation)
    ]
    return validate(without(template, own_fields), kubernetes) if own_fields else violations


def _added_volumes(pod: Pod, spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return volumes for those that the controller adds to a pod."""
    changes = pod.object.traits.changes
    if changes is None:
        return []
    claims = (volume for _, volume in mappings_at(pod.object.value, changes.volumes_at))
    names = {*changes.volumes, *map(_name, claims)}
    present = {_name(mapping(volume)) for volume in items(spec.get("volumes"))}
    return [
        {"name": name, "persistentVolumeClaim": {"claimName": name}}
        for name in sorted(names - present - {""})
    ]


def _name(volume: dict[str, Any]) -> str:
    """Return the name of a volume, or of the template of a claim."""
    return text(volume.get("name")) or text(mapping(volume.get("metadata")).get("name"))


def _is_changed(pod: Pod, violation: SchemaViolation, inside: Path) -> bool:
    """Return whether the controller removes a fault, or may do so: it sets the field, or adds what
    the pod lacks."""
    changes = pod.object.traits.changes
    if changes is not None and not changes.fields.isdisjoint(map(str, inside[:1])):
        return True
    if pod.object.traits.image_filled and inside[-1:] == ("image",):
        return True
    if not violation.lacking or not _ATOMIC.isdisjoint(map(str, inside[:1])):
        return False
    if not _is_known(pod.object) or is_whole(pod):
        is_of_pod = not _OF_THE_POD.isdisjoint(map(str, violation.path[-3:-2]))
        return is_of_pod and (
            _is_part(pod) or (changes is None and "volumeClaimTemplates" in pod.object.spec)
        )
    return True


def _is_part(pod: Pod) -> bool:
    """Return whether pods get parts from other objects, or from an operator that is not known."""
    return pod.object.traits.template or not is_whole(pod)


def _judged(pod: Pod, violation: SchemaViolation, inside: Path) -> SchemaViolation:
    """Return a violation with what follows from it, and how certain it is."""
    obj = pod.object
    if not _is_known(obj) or violation.reason != "refused":
        return replace(
            violation,
            in_pod=True,
            by="the API server rejects the object or its pods",
            doubt=f"add the schema of `{obj.kind}` with `gpuspec schema add CRD.yaml`: none is known",
        )
    doubt = None
    if _is_part(pod):
        doubt = f"check the pods that use it: other objects may change parts of the `{obj.kind}`"
    elif not _has_known_changes(obj) and (
        violation.lacking or not _OFTEN_SET.isdisjoint(map(str, inside[:1]))
    ):
        doubt = f"check whether the operator of `{obj.kind}` sets it"
    by = f"the API server rejects the pods created from the `{obj.kind}`"
    return replace(violation, in_pod=True, by=by, sign=_SIGN, doubt=doubt)


def _is_known(obj: Object) -> bool:
    return kind_of(obj.group, obj.kind) is not None


def _is_complete(pod: Pod, violation: SchemaViolation, inside: Path) -> bool:
    """Return whether a field that is absent is also absent in the created pods."""
    if violation.reason != "refused":
        return False
    is_atomic = not _ATOMIC.isdisjoint(map(str, inside[:1]))
    return is_atomic or (not _is_part(pod) and _has_known_changes(pod.object))


def _has_known_changes(obj: Object) -> bool:
    changes = obj.traits.changes
    return changes is not None and not changes.others


def _is_misspelt(violation: SchemaViolation) -> bool:
    """Return whether an unknown field is no other than one of a pod; any other may be the
    operator's own."""
    path, right = violation.path, violation.meant
    if right is None or right[:-1] != path[:-1]:
        return False
    return SequenceMatcher(None, str(path[-1]), str(right[-1])).ratio() >= _ALIKE
