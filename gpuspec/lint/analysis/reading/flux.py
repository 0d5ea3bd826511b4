"""The namespaces in which Flux looks up references, and those of the objects in the set.

A name without a namespace refers to the object's own namespace. That is often set elsewhere: by the
kustomizations above its file, or as the `targetNamespace` of the Flux Kustomization that applies
it.
"""

from __future__ import annotations

from os.path import dirname, normpath
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.reading.kustomizations import above, above_file
from gpuspec.loading.placeholders import blank_name
from gpuspec.manifests.values import at, text

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.objects.references import Ref

_KUSTOMIZE = "kustomize.toolkit.fluxcd.io"
_GROUPS = (_KUSTOMIZE, "helm.toolkit.fluxcd.io")
_DEPTH = 8
"""Number of folders in a path that may precede a repository's root."""
_FIELDS = ("dependsOn", "sourceRef", "chartRef")


class Apart(msgspec.Struct, frozen=True):
    """An object that a reference without a namespace names, and that is in another namespace."""

    other: Object
    namespace: str
    """Its namespace."""
    sought: str
    """The namespace in which Flux looks it up."""


def is_of_flux(ref: Ref, obj: Object) -> bool:
    """Return whether Flux itself looks up a reference."""
    steps = ref.path[len(obj.base) :]
    return obj.group in _GROUPS and any(field in steps for field in _FIELDS)


def apart(ref: Ref, obj: Object, collection: Collection) -> Apart | None:
    """Return the target of such a reference that exists only in other namespaces; None if this is
    not certain."""
    written_namespace = at(obj.value, (*ref.path[len(obj.base) : -1], "namespace"))
    sought = (
        written_namespace
        if isinstance(written_namespace, str) and written_namespace
        else namespace_of(obj, collection)
    )
    targets = [
        (namesake, namespace_of(namesake, collection))
        for namesake in collection.all_named(ref.group, ref.kind, ref.name)
    ]
    spaces = {space for _, space in targets}
    if (
        not targets
        or not sought
        or spaces & {"", sought}
        or any(map(blank_name, (sought, *spaces)))
    ):
        return None
    target, namespace = targets[0]
    # What no kustomization builds from, where others are built from, is applied by nobody.
    if bool(above(obj, collection)) != bool(above(target, collection)):
        return None
    return Apart(target, namespace, sought)


def namespace_of(obj: Object, collection: Collection) -> str:
    """Return the final namespace of an object; empty if it is unknown, and if several sources
    disagree."""
    return final_namespace(obj.namespace, obj.file, collection)


def final_namespace(namespace: str, file: str, collection: Collection) -> str:
    """Return the final namespace of what a file has with a namespace, or without one."""
    namespaces = {namespace, *_targets(file, collection)}
    namespaces |= {text(maker.value.get("namespace")) for maker in above_file(file, collection)}
    namespaces.discard("")
    return namespaces.pop() if len(namespaces) == 1 else ""


def _targets(file: str, collection: Collection) -> frozenset[str]:
    """Return the target namespaces of the Flux Kustomizations that apply a file."""
    namespaces_by_folder = collection.once(_applied)
    folder = normpath(dirname(file) or ".")
    steps = folder.split("/")
    # Where the run did not begin at the repository's root, its files' names begin in the middle.
    nearest = (
        "/".join(steps[begin:end])
        for end in range(len(steps), 0, -1)
        for begin in range(min(end, _DEPTH))
    )
    return next(
        (namespaces_by_folder[path] for path in nearest if path in namespaces_by_folder),
        frozenset(),
    )


def _applied(collection: Collection) -> dict[str, frozenset[str]]:
    """Return the target namespaces of Flux Kustomizations, by the folder that they apply."""
    namespaces_by_folder: dict[str, set[str]] = {}
    for obj in collection.of(_KUSTOMIZE, "Kustomization"):
        path = normpath(text(obj.spec.get("path")).lstrip("/") or ".")
        if path != ".":
            namespaces_by_folder.setdefault(path, set()).add(text(obj.spec.get("targetNamespace")))
    return {path: frozenset(spaces) for path, spaces in namespaces_by_folder.items()}
