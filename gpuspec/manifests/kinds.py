"""Kinds of objects: which are cluster-wide, and where their pods are."""

from collections.abc import Iterator
from functools import cache

import msgspec

from gpuspec.manifests.kind_table import ORDER, Kind
from gpuspec.manifests.paths import Path


class PodPath(msgspec.Struct, frozen=True):
    """Where a pod is in an object."""

    spec: Path
    """What holds ``containers``; in an Argo template the one container is ``container``."""
    metadata: Path | None
    """The pod's own labels and annotations, which need not be there; None where the kind has no
    place for them."""


_KINDS = {(kind.group, kind.name): kind for kind in ORDER}
_RANKS = {key: rank for rank, key in enumerate(_KINDS)}


def kind_of(group: str, name: str) -> Kind | None:
    """What is known of a kind in an API group (empty for the core one), or None."""
    return _KINDS.get((group, name))


def rank_of(group: str, name: str) -> int:
    """The position in the order of application; unknown kinds come behind all others."""
    return _RANKS.get((group, name), len(_RANKS))


def pod_paths(obj: object) -> list[PodPath]:
    """Where an object's pods are. Lists and wrapped objects are looked into.

    Empty for what is no object, has no pods, or is of an unknown kind.
    """
    return list(_pods(obj, ()))


@cache
def kinds_with_pods() -> frozenset[str]:
    """Names of the kinds, of any group, in whose objects pods or further objects may lie."""
    return frozenset(
        kind.name for kind in ORDER if kind.templates or kind.specs or kind.argo or kind.objects
    )


def inner_objects(obj: dict[str, object]) -> list[tuple[Path, dict[str, object]]]:
    """The whole objects that lie directly in an object (a ``List``, a wrapper), with their paths."""
    name, version = obj.get("kind"), obj.get("apiVersion")
    if not isinstance(name, str) or not isinstance(version, str):
        return []
    kind = kind_of(version.rpartition("/")[0], name)
    patterns = kind.objects if kind else ("items.*",) if name.endswith("List") else ()
    return list(_found(obj, patterns, ()))


def mappings_at(
    obj: dict[str, object], patterns: tuple[str, ...]
) -> list[tuple[Path, dict[str, object]]]:
    """The mappings that patterns like those of the table (`spec.tasks.*.template`) lead to."""
    return list(_found(obj, patterns, ()))


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
        kind = Kind("", name, objects=("items.*",))
    for path, template in _found(obj, kind.templates, base):
        if isinstance(template.get("spec"), dict):
            yield PodPath((*path, "spec"), (*path, "metadata"))
    for path, _ in _found(obj, kind.specs, base):
        yield PodPath(path, None)
    for path, template in _found(obj, kind.argo, base):
        # The other templates are steps and graphs that name these.
        if not template.keys().isdisjoint(("container", "containerSet", "script")):
            yield PodPath(path, (*path, "metadata"))
    for path, inner in _found(obj, kind.objects, base):
        yield from _pods(inner, path)


def _found(
    obj: dict[str, object], patterns: tuple[str, ...], base: Path
) -> Iterator[tuple[Path, dict[str, object]]]:
    """The mappings that patterns lead to, with their paths behind a base."""
    for pattern in patterns:
        found: list[tuple[Path, object]] = [(base, obj)]
        for step in pattern.split(".") if pattern else ():
            found = [
                ((*path, name), child)
                for path, value in found
                for name, child in _children(value)
                if step in ("*", name)
            ]
        for path, value in found:
            if isinstance(value, dict):
                yield path, value


def _children(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []
