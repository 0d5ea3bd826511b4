"""Paths of an object's pods, and of the objects inside it."""

from collections.abc import Iterator

import msgspec

from gpuspec.kinds.model import Kind
from gpuspec.kinds.table import kind_of
from gpuspec.manifests import Path


class PodPath(msgspec.Struct, frozen=True):
    """The path of a pod in an object."""

    spec: Path
    """The mapping with ``containers``; in an Argo template the one container is ``container``."""
    metadata: Path | None
    """The pod's own labels and annotations, which may be absent; None if the kind has no field for
    them."""


def pod_paths(obj: object) -> list[PodPath]:
    """Return the paths of an object's pods, those in lists and wrapped objects included.

    Empty for a value that is no object, for an object without pods, and for an unknown kind.
    """
    return list(_pods(obj, ()))


def pods_anywhere(value: dict[str, object]) -> Iterator[PodPath]:
    """Yield paths of pods in an object of any kind, by their layout alone: a mapping with
    ``containers``.

    A pod inside a pod does not count, and neither does ``status``, which reports existing pods.
    """
    waiting: list[tuple[Path, object]] = [
        ((key,), child) for key, child in value.items() if key not in ("metadata", "status")
    ]
    while waiting:
        path, candidate = waiting.pop()
        if isinstance(candidate, dict) and _is_pod(candidate):
            yield PodPath(path, (*path[:-1], "metadata") if path[-1] == "spec" else None)
        else:
            # From the end, so that the first comes next.
            waiting += [((*path, key), child) for key, child in reversed(_children(candidate))]


def _is_pod(value: dict[str, object]) -> bool:
    containers = value.get("containers")
    return isinstance(containers, list) and any(
        isinstance(container, dict)
        and not container.keys().isdisjoint(("image", "resources", "command"))
        for container in containers
    )


def inner_objects(obj: dict[str, object]) -> list[tuple[Path, dict[str, object]]]:
    """Return the whole objects directly inside an object (a ``List``, a wrapper), with their paths."""
    name, version = obj.get("kind"), obj.get("apiVersion")
    if not isinstance(name, str) or not isinstance(version, str):
        return []
    kind = kind_of(version.rpartition("/")[0], name)
    if kind is None or name.endswith("List"):
        patterns = kind.objects if kind else ("items.*",) if name.endswith("List") else ()
        return list(_found(obj, patterns, ()))
    # KubeVela's list of objects may also be one of names.
    inner = _found(obj, kind.objects, ())
    return [(path, value) for path, value in inner if "apiVersion" in value or "kind" in value]


def mappings_at(
    obj: dict[str, object], patterns: tuple[str, ...]
) -> list[tuple[Path, dict[str, object]]]:
    """Return the mappings at patterns like those of the table (`spec.tasks.*.template`)."""
    return list(_found(obj, patterns, ()))


def values_at(obj: dict[str, object], patterns: tuple[str, ...]) -> list[tuple[Path, object]]:
    """Return the values at patterns, mappings or not."""
    return [reached for pattern in patterns for reached in _at(obj, pattern, ())]


def _pods(obj: object, base: Path) -> Iterator[PodPath]:
    if not isinstance(obj, dict):
        return
    name, version = obj.get("kind"), obj.get("apiVersion")
    if not isinstance(name, str) or not isinstance(version, str):
        return
    kind = kind_of(version.rpartition("/")[0], name)
    if kind is None:
        # DeploymentList and its like.
        if not name.endswith("List"):
            return
        kind = Kind("", name, "list", objects=("items.*",))
    for path, template in _found(obj, kind.templates, base):
        if isinstance(template.get("spec"), dict):
            yield PodPath((*path, "spec"), (*path, "metadata"))
    for pattern in kind.specs:
        for path, _ in _found(obj, (pattern,), base):
            yield PodPath(path, path if pattern in kind.labelled else None)
    for path, template in _found(obj, kind.argo, base):
        # The other templates are steps and graphs that name these.
        if not template.keys().isdisjoint(("container", "containerSet", "script")):
            yield PodPath(path, (*path, "metadata"))
    for path, inner in _found(obj, kind.objects, base):
        yield from _pods(inner, path)


def _found(
    obj: dict[str, object], patterns: tuple[str, ...], base: Path
) -> Iterator[tuple[Path, dict[str, object]]]:
    """Yield the mappings at patterns, with their paths below a base."""
    for pattern in patterns:
        for path, value in _at(obj, pattern, base):
            if isinstance(value, dict):
                yield path, value


def _at(obj: dict[str, object], pattern: str, base: Path) -> list[tuple[Path, object]]:
    """Return the values at a pattern, with their paths below a base."""
    places: list[tuple[Path, object]] = [(base, obj)]
    for step in pattern.split(".") if pattern else ():
        if step == "*":
            places = [
                ((*path, name), child) for path, value in places for name, child in _children(value)
            ]
        else:
            places = [
                ((*path, step), value[step])
                for path, value in places
                if isinstance(value, dict) and step in value
            ]
        if not places:
            break
    return places


def _children(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
