"""A placeholder that nothing has filled in, where Kubernetes takes no such text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.hardware import resource
from gpuspec.lint.analysis.reading.blanks import fills_in, left_open
from gpuspec.lint.analysis.reading.kustomized_images import built_images
from gpuspec.lint.analysis.reading.schema import blank
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_image, blank_name, placeholder
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU015",
    "placeholder",
    "error",
    "A template placeholder was not filled in",
    undecided=True,
)

_Place = tuple[Path, str]
_CLAIMS = (
    ("persistentVolumeClaim", "claimName"),
    ("configMap", "name"),
    ("secret", "secretName"),
)
_NAMES = ("serviceAccountName", "priorityClassName", "runtimeClassName", "schedulerName")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield all of an object's placeholders, as one finding: one cause, and one remedy."""
    placeholders = [
        place for place in dict.fromkeys(_all(obj, context)) if not fills_in(obj, place[1])
    ]
    if not placeholders:
        return
    (path, first), *others = placeholders
    more = list(dict.fromkeys(_shown(sign) for _, sign in others if sign != first))
    also = f", also for {', '.join(more)}" if more else ""
    severity, confidence = left_open(obj, *(sign for _, sign in placeholders))
    yield RawFinding(
        path,
        f"{_shown(first)} is not filled in: the API server rejects the object, or its pods never "
        "start",
        note=f"lint the rendered output (`envsubst`, `helm template`, `flux build`){also}",
        severity=severity,
        confidence=confidence,
    )


def _all(obj: Object, context: Context) -> Iterator[_Place]:
    for field in ("name", "generateName", "namespace"):
        if (sign := blank_name(obj.metadata.get(field))) is not None:
            yield obj.path("metadata", field), sign
    for pod in obj.pods:
        yield from _names(pod, context)
    for violation in context.violations(obj):
        if not _is_count(violation.path) and (sign := blank(obj, violation)) is not None:
            yield obj.path(*violation.path), sign
    if not obj.has_signs:
        return
    yield from _map(obj.metadata, "labels", obj.path("metadata"))
    yield from _map(mapping(obj.spec.get("selector")), "matchLabels", obj.path("spec", "selector"))
    for pod in obj.pods:
        yield from _in_pod(pod)


def _names(pod: Pod, context: Context) -> Iterator[_Place]:
    """Yield names of images and of other objects that the pod needs."""
    for field in _NAMES:
        if (sign := blank_name(pod.spec.get(field))) is not None:
            yield pod.path(field), sign
    for container in pod.every:
        image = container.value.get("image")
        names = (
            built_images(image, pod.object, context.collection)
            if isinstance(image, str)
            else [image]
        )
        if sign := next((sign for name in names if (sign := blank_image(name)) is not None), None):
            yield container.path("image"), sign
    for index, volume in enumerate(items(pod.spec.get("volumes"))):
        volume_fields = mapping(volume)
        for kind, field in _CLAIMS:
            if kind not in volume_fields:
                continue
            if (sign := blank_name(mapping(volume_fields[kind]).get(field))) is not None:
                yield pod.path("volumes", index, kind, field), sign


def _in_pod(pod: Pod) -> Iterator[_Place]:
    if pod.metadata_path is not None:
        yield from _map(pod.metadata, "labels", pod.metadata_path)
    yield from _map(pod.spec, "nodeSelector", pod.base)
    for container in pod.every:
        yield from _in_container(container)


def _in_container(container: PodContainer) -> Iterator[_Place]:
    yield from _each(container.value, ("name",), container.path())
    for field, amounts in (("limits", container.limits), ("requests", container.requests)):
        for name, amount in amounts.items():
            path = container.path(container.resources_at, field, name)
            if not _is_count(path):
                yield from _one(path, amount)


def _is_count(path: Path) -> bool:
    """Return whether the path is that of a device count, which another rule reports."""
    return path[-2:-1] in (("limits",), ("requests",)) and resource(str(path[-1])) is not None


def _each(holder: dict[str, Any], fields: tuple[str, ...], base: Path) -> Iterator[_Place]:
    for field in fields:
        yield from _one((*base, field), holder.get(field))


def _map(holder: dict[str, Any], field: str, base: Path) -> Iterator[_Place]:
    yield from _each(mapping(holder.get(field)), tuple(mapping(holder.get(field))), (*base, field))


def _one(path: Path, value: object) -> Iterator[_Place]:
    if (sign := placeholder(value)) is not None:
        yield path, sign


def _shown(sign: str) -> str:
    # A message has fields and values in backquotes; templates may have some of their own.
    plain = sign.replace("`", "'")
    return f"`{plain}`"
