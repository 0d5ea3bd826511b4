"""Images after the changes of kustomizations.

Source: kubernetes-sigs/kustomize v5.7, api/filters/imagetag and api/internal/image.
"""

from __future__ import annotations

from os.path import dirname, join, normpath
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading.kustomizations import builders
from gpuspec.loading.kustomize import GROUP
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object


def built_images(image: str, obj: Object, collection: Collection) -> list[str]:
    """List the final forms of an object's image, one for each kustomization above its file that no
    other kustomization builds on."""
    if not collection.of(GROUP, "Kustomization"):
        return [image]
    images: dict[str, None] = {}
    waiting, visited = [(image, obj)], {(image, id(obj))}
    while waiting:
        now, built = waiting.pop(0)
        makers = builders(built, collection)
        if not makers:
            images[now] = None
        for maker in makers:
            changed_image = now
            for entry in entries(maker):
                changed_image = _changed(changed_image, entry)
            if (changed_image, id(maker)) not in visited:
                visited.add((changed_image, id(maker)))
                waiting.append((changed_image, maker))
    # Kustomizations that build from each other come to no end.
    return list(images) or [image]


def entries(maker: Object) -> list[dict[str, Any]]:
    """Return the image entries of a kustomization."""
    return [mapping(entry) for entry in items(maker.value.get("images"))]


def below(maker: Object, collection: Collection) -> Iterator[Object | None]:
    """Yield the kustomizations that a kustomization builds on; None for anything else."""
    folders = {
        normpath(dirname(obj.file) or "."): obj for obj in collection.of(GROUP, "Kustomization")
    }
    for name in (*items(maker.value.get("resources")), *items(maker.value.get("bases"))):
        yield folders.get(normpath(join(dirname(maker.file), text(name))))


def _changed(image: str, entry: dict[str, Any]) -> str:
    name, rest = _parts(image)
    if name != text(entry.get("name")):
        return image
    if tag := text(entry.get("newTag")):
        rest = f":{tag}"
    if digest := text(entry.get("digest")):
        rest = f"@{digest}"
    return (text(entry.get("newName")) or name) + rest


def _parts(image: str) -> tuple[str, str]:
    """Return the name, and the tag or digest with the sign before it."""
    name, at, digest = image.partition("@")
    if at:
        return name, at + digest
    folder, slash, last = image.rpartition("/")
    last, colon, tag = last.partition(":")
    return folder + slash + last, colon + tag
