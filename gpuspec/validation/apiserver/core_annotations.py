"""Annotations of pods that a server reads: predecessors of fields, and the cost of deletion.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `ValidatePodSpecificAnnotations`,
`validateSeccompAnnotationsAndFields`, `validateAppArmorAnnotationsAndFieldsMatchOnCreate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import INT32, read_signed
from gpuspec.validation.apiserver.core_volumes import LISTS
from gpuspec.validation.apiserver.reading import inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_MIRROR = "kubernetes.io/config.mirror"
_COST = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP = "seccomp.security.alpha.kubernetes.io"
_SECCOMP_OF = f"container.{_SECCOMP}"
_APPARMOR_OF = "container.apparmor.security.beta.kubernetes.io"
_LOCAL = "localhost/"
_FIRST = tuple("-123456789")
_KINDS = {
    "RuntimeDefault": ("runtime/default", "docker/default"),
    "Unconfined": ("unconfined",),
}


def of_pod(pod: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the annotations of a pod; a server copies AppArmor's into fields that are not set."""
    yield from _annotations(pod, inherited=False)


def of_template(template: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the annotations of a template."""
    yield from _annotations(template, inherited=True)


def _annotations(pod: Map, *, inherited: bool) -> Iterator[SchemaViolation]:
    annotations = inner(pod, "metadata").get("annotations")
    if not annotations:
        return
    spec = pod.get("spec") or {}
    for key, text in annotations.items():
        home, _, name = key.partition("/")
        path, value = ("metadata", "annotations", key), text or ""
        if key == _MIRROR and not spec.get("nodeName"):
            yield refused(path, "a mirror pod needs a `nodeName`", lacking=True)
        elif key == _COST and not _is_cost(value):
            yield refused(path, f"expected a number from {-INT32 - 1} to {INT32}")
        elif home == _SECCOMP_OF or key == f"{_SECCOMP}/pod":
            if not _is_seccomp(value):
                yield refused(path, f"`{value}` is not a profile", "use `securityContext`")
            else:
                yield from _differing(spec, home, name, value, inherited=inherited)
        elif home == _APPARMOR_OF:
            if all(container.get("name") != name for _, container in _containers(spec)):
                yield refused(path, f"the pod has no container `{name}`", lacking=True)
            if value not in ("", "runtime/default", "unconfined") and not value.startswith(_LOCAL):
                yield refused(path, f"`{value}` is not a profile", "use `securityContext`")
            elif inner(spec, "os").get("name") != "windows":
                yield from _differing(spec, home, name, value, inherited=inherited)


def _is_cost(value: str) -> bool:
    cost = read_signed(value) if value == "0" or value[:1] in _FIRST else None
    return cost is not None and -INT32 - 1 <= cost <= INT32


def _is_seccomp(value: str) -> bool:
    if any(value in words for words in _KINDS.values()):
        return True
    steps = value.removeprefix(_LOCAL).split("/")
    return value.startswith(_LOCAL) and ".." not in steps and (len(steps) == 1 or steps[0] != "")


def _differing(
    spec: Map, home: str, name: str, value: str, *, inherited: bool
) -> Iterator[SchemaViolation]:
    """Yield each field that contradicts an annotation, of the pod or of a container.

    `inherited`: a container without a profile of AppArmor has the pod's.
    """
    field = "appArmorProfile" if home == _APPARMOR_OF else "seccompProfile"
    whole = inner(spec, "securityContext").get(field)
    others = whole if inherited and home == _APPARMOR_OF else None
    profiles: list[tuple[Path, Map | None]] = [
        (path, inner(container, "securityContext").get(field) or others)
        for path, container in _containers(spec)
        if container.get("name") == name
    ]
    if home == _SECCOMP:
        profiles = [((), whole)]
    for path, profile in profiles:
        if profile and (wrong := _other(profile, value, field)):
            at = ("spec", *path, "securityContext", field)
            yield refused((*at, wrong), f"the annotation `{home}/{name}` is `{value}`")


def _other(profile: Map, value: str, field: str) -> str | None:
    kind = profile.get("type")
    if kind in _KINDS:
        words = _KINDS[kind] if field == "seccompProfile" else _KINDS[kind][:1]
        return None if value in words else "type"
    if kind != "Localhost":
        return None
    if not value.startswith(_LOCAL):
        return "type"
    same = value.removeprefix(_LOCAL) == profile.get("localhostProfile")
    return None if same else "localhostProfile"


def _containers(spec: Map) -> Iterator[tuple[Path, Map]]:
    for field in LISTS:
        for index, container in maps(spec, field):
            yield (field, index), container


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.Pod": (of_pod,),
    "core.v1.PodTemplateSpec": (of_template,),
}
