"""An image that a kustomization looks for under a name that its base has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.kustomized_images import below, entries
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU875",
    "image-renamed-already",
    "warning",
    "A kustomization changes an image that its base has already renamed",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield where all that it builds from are kustomizations that do so: else the name may come
    from others."""
    for index, entry in enumerate(entries(obj)):
        name = text(entry.get("name"))
        renamings = [
            _renamed(name, base, context.collection) for base in below(obj, context.collection)
        ]
        first = renamings[0] if renamings else None
        if not name or first is None or None in renamings:
            continue
        base, at, new = first
        yield RawFinding(
            obj.path("images", index, "name"),
            f"`{base.file}` has already renamed image `{name}` to `{new}`: the entry changes "
            "nothing, and the tag stays as it was",
            note=f"write `{new}`, or change the image in only one of the files",
            confidence="likely",
            related=(
                RelatedPlace(base.number, base.path("images", at, "newName"), "its new name"),
            ),
        )


def _renamed(
    name: str, base: Object | None, collection: Collection, visited: frozenset[str] = frozenset()
) -> tuple[Object, int, str] | None:
    """Return the kustomization that gives an image another name, which of its entries, and the
    name."""
    if base is None or base.file in visited:
        return None
    for index, entry in enumerate(entries(base)):
        new = text(entry.get("newName"))
        if text(entry.get("name")) == name and new and new != name:
            return base, index, new
    visited |= {base.file}
    renamings = [_renamed(name, obj, collection, visited) for obj in below(base, collection)]
    return renamings[0] if renamings and None not in renamings else None
