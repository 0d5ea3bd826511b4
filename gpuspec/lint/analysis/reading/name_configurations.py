"""Fields that a kustomization's own configuration lists as names of other objects.

Source: kubernetes-sigs/kustomize (12f9e63), `api/types/fieldspec.go`,
`api/internal/plugins/builtinconfig`.
"""

from __future__ import annotations

from os.path import dirname, join, normpath
from typing import TYPE_CHECKING, Any

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


def may_be_configured(
    kind: str, field: str, obj: Object, maker: Object, collection: Collection
) -> bool:
    """Return whether a kustomization may know a field as the name of a ConfigMap or a Secret: a
    configuration file lists it, or a configuration cannot be read."""
    for file in items(maker.value.get("configurations")):
        if not isinstance(file, str):
            return True
        source = collection.patches.get(normpath(join(dirname(maker.file), file)))
        name_references = None if source is None else _read(source.text)
        if name_references is None or any(
            _names(reference, kind, field, obj) for reference in name_references
        ):
            return True
    return False


def _names(reference: dict[str, Any], kind: str, field: str, obj: Object) -> bool:
    """Return whether an entry is for this kind, and this field of the object."""
    if reference.get("kind") != kind:
        return False
    version = obj.api_version.rpartition("/")[2]
    for spec in map(mapping, items(reference.get("fieldSpecs"))):
        path = text(spec.get("path")).strip("/").replace("[]", "")
        identity = (("kind", obj.kind), ("group", obj.group), ("version", version))
        if path == field and all(
            spec.get(key) in (None, "", object_value) for key, object_value in identity
        ):
            return True
    return False


def _read(config_text: str) -> list[dict[str, Any]] | None:
    """Return the name references of a file; None where it cannot be read."""
    try:
        documents = read(config_text, "")
    except InputError:
        return None
    return [reference for document in documents for reference in _references(document.value)]


def _references(value: object) -> Iterator[dict[str, Any]]:
    yield from map(mapping, items(mapping(value).get("nameReference")))
