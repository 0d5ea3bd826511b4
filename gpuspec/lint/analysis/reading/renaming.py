"""Prefixes and suffixes of kustomizations: which objects get one, and which fields follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.kustomizations import (
    ALL_PATCHES,
    GENERATORS,
    above,
    above_file,
    is_hashed,
    kustomizations,
    patches_of,
)
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import same_namespace

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.objects.references import Ref

_NAMES = ("configurations", "crds", "components", "transformers", "replacements", "vars")
"""Fields of a kustomization that list name fields, or set them."""


def renamers(obj: Object, collection: Collection) -> list[Object]:
    """Return the kustomizations that add a prefix, a suffix or another image to an object's file,
    without a change of unknown fields; empty if one configures such fields, or may set them
    otherwise."""
    makers = above(obj, collection)
    objects = [maker for maker in makers if any(affixes(maker)) or maker.value.get("images")]
    if not objects or any(maker.value.get(field) for maker in makers for field in _NAMES):
        return []
    patched = collection.once(_patched)
    kinds = [patched[maker.number] for maker in makers if maker.number in patched]
    return [] if any(not some or obj.kind in some for some in kinds) else objects


def images(maker: Object) -> list[tuple[Path, str]]:
    """Return the images that a kustomization renames or retags, with their paths."""
    return [
        (("images", index, "name"), name)
        for index, entry in enumerate(items(maker.value.get("images")))
        if (name := text(mapping(entry).get("name")))
    ]


def _patched(collection: Collection) -> dict[int, frozenset[str]]:
    """Return the kinds that the patches of each kustomization target; empty if unknown."""
    return {
        maker.number: _patched_by(maker, collection)
        for maker in kustomizations(collection)
        if any(maker.value.get(field) for field in ALL_PATCHES)
    }


def _patched_by(maker: Object, collection: Collection) -> frozenset[str]:
    kinds_by_patch: dict[Path, set[str]] = {}
    for path, value in patches_of(maker, collection):
        kinds_by_patch.setdefault(path[:2], set()).add(text(value.get("kind")))
    kinds: set[str] = set()
    for field in ALL_PATCHES:
        for index, item in enumerate(items(maker.value.get(field))):
            target = text(mapping(mapping(item).get("target")).get("kind"))
            kinds |= {target} if target else kinds_by_patch.get((field, index), {""})
    return frozenset() if "" in kinds else frozenset(kinds)


def renamed(maker: str, ref: Ref, collection: Collection) -> bool:
    """Return whether the build of a kustomization, by its file, renames the target.

    Only if all objects of the run are known.
    """
    for kind in dict.fromkeys((ref.kind, *ref.others)):
        for file, namespace in collection.once(_files).get((ref.group, kind, ref.name), ()):
            if same_namespace(ref.namespace, namespace) and _builds(maker, file, collection):
                return True
    generators = collection.once(_generators).get((ref.kind, ref.name), ()) if not ref.group else ()
    return any(
        generator == maker or _builds(maker, generator, collection) for generator in generators
    )


def _generators(collection: Collection) -> dict[tuple[str, str], list[str]]:
    """Return the kustomizations, by their file, that generate a ConfigMap or Secret without a
    hash."""
    files_by_generated: dict[tuple[str, str], list[str]] = {}
    for kustomization in kustomizations(collection):
        for kind, field in GENERATORS.items():
            for entry in map(mapping, items(kustomization.value.get(field))):
                if not is_hashed(kustomization.value, entry):
                    files_by_generated.setdefault((kind, text(entry.get("name"))), []).append(
                        kustomization.file
                    )
    return files_by_generated


def _files(collection: Collection) -> dict[tuple[str, str, str], list[tuple[str, str]]]:
    """Return the places of objects, by group, kind and name: the file, and the namespace as
    written."""
    files: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for (file, identity), spots in collection.met.items():
        key = identity.group, identity.kind, identity.name
        files.setdefault(key, []).extend((file, spot.namespace) for spot in spots)
    return files


def _builds(maker: str, file: str, collection: Collection) -> bool:
    return any(obj.file == maker for obj in above_file(file, collection))


def affixes(maker: Object) -> tuple[str, str]:
    """Return the prefix and the suffix of a kustomization; empty for none."""
    return text(maker.value.get("namePrefix")), text(maker.value.get("nameSuffix"))


def affixed(name: str, obj: Object, collection: Collection) -> set[str]:
    """Return the final forms of a name after the kustomizations above an object's file."""
    final_names = set()
    for maker in above(obj, collection):
        prefix, suffix = affixes(maker)
        name = f"{prefix}{name}{suffix}"
        final_names.add(name)
    return final_names
