"""A claim whose StorageClass is not among those that its own file defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.objects.references import references_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU985",
    "class-not-defined",
    "info",
    "A claim names a StorageClass that its file does not define, next to one that it does",
    gives_way=("GPU022", "GPU824"),
)
_CLASS = ("storage.k8s.io", "StorageClass")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield claims in a file with classes, whose own class nothing known brings."""
    profile_classes = set() if context.cluster is None else {*context.cluster.storage.classes}
    own_classes = [class_ for class_ in context.collection.of(*_CLASS) if class_.file == obj.file]
    if not own_classes:
        return
    for ref in references_of(obj, {_CLASS}):
        if ref.kind != _CLASS[1] or not ref.name or placeholder(ref.name) is not None:
            continue
        if context.collection.named(*_CLASS, ref.name) is not None or ref.name in profile_classes:
            continue
        if hardware.brought_by(ref.kind, ref.name) is not None or _is_static(ref.name, context):
            continue
        names = [class_.name for class_ in own_classes]
        yield RawFinding(
            ref.path,
            f"`{ref.name}` is no StorageClass of this file, which defines {choice_of(names)}: "
            "unless the cluster has the class, the claim stays Pending, and its pod with it",
            note=f"write {choice_of(names)}, or define `{ref.name}`",
            confidence="possible",
            related=(
                RelatedPlace(own_classes[0].number, ("metadata", "name"), "a class of the file"),
            ),
        )


def _is_static(name: str, context: Context) -> bool:
    """Return whether volumes of the set are of a class, which then needs no object."""
    volumes = context.collection.of("", "PersistentVolume")
    return any(volume.spec.get("storageClassName") == name for volume in volumes)
