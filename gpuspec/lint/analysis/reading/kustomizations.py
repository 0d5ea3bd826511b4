"""Effects of a kustomization on objects that Kustomize does not know, as far as files show.

Kustomize has the schemas of Kubernetes' own kinds. In others, lists have no merge keys, and names
are no references, unless the kustomization configures it.

Sources: kubernetes-sigs/kustomize, `api/internal/konfig/builtinpluginconsts` (the known
references), `api/hasher` (the alphabet of the suffix).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import dirname, join, normpath
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading.name_configurations import may_be_configured
from gpuspec.loading.kustomize import BUILDS, COMPONENT, GROUP, KINDS, NAMES, is_kustomization
from gpuspec.loading.substitutions import GROUP as FLUX
from gpuspec.manifests import InputError, Path, read
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.collection import same_namespace
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection

_PATCHES = ("patches", "patchesStrategicMerge")
GENERATORS = {"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}
_CHANGES = (*_PATCHES, "patchesJson6902", "components", "transformers", "replacements", "vars")
ALL_PATCHES = (*_PATCHES, "patchesJson6902")
_OWN = frozenset({"", "apps", "autoscaling", "batch", "extensions", "policy"})
_BASES = frozenset({"base", "bases"})
_OWN_LABELS = ("metadata", "labels")


def is_own(group: str) -> bool:
    """Return whether a group belongs to Kubernetes, and so is known to Kustomize."""
    return group in _OWN or (group.endswith(".k8s.io") and not group.endswith(".x-k8s.io"))


def kustomizations(collection: Collection) -> Iterator[Object]:
    """Yield the kustomizations of a set, and the components among them."""
    for kind in KINDS:
        yield from collection.of(GROUP, kind)


def patches_of(obj: Object, collection: Collection) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the readable strategic-merge patches of a kustomization, with their paths in it."""
    for field in _PATCHES:
        for index, item in enumerate(items(obj.value.get(field))):
            path: Path = (field, index)
            patch = item
            if isinstance(item, dict):
                key = "patch" if "patch" in item else "path"
                path, patch = (*path, key), item.get(key)
            if not isinstance(patch, str):
                continue
            if "\n" not in patch and path[-1] != "patch":
                source = collection.patches.get(_beside(obj, patch))
                patch = source.text if source is not None else ""
            for value in _values(patch):
                yield path, value


def generated(
    name: str, kind: str, field: str, obj: Object, collection: Collection
) -> tuple[int, Path] | None:
    """Return the generator of a ConfigMap or Secret whose suffix a field of a custom object does
    not get: the kustomization's `number`, and the generator's path."""
    for maker in everywhere_above(obj, collection):
        if maker.value.get("crds") or maker.value.get("replacements"):
            # Whoever wrote them knows; whether they are right, only a build can tell.
            return None
        if may_be_configured(kind, field, obj, maker, collection):
            return None
    made_by = GENERATORS[kind]
    for maker in _builders(obj, collection):
        value = maker.value
        for index, entry in enumerate(items(value.get(made_by))):
            if text(mapping(entry).get("name")) == name and is_hashed(value, mapping(entry)):
                return maker.number, (made_by, index, "name")
    return None


def generates(name: str, kind: str, collection: Collection) -> bool:
    """Return whether a kustomization of a set generates a ConfigMap or Secret of this name."""
    return (kind, name) in collection.once(_generated)


def is_changed(obj: Object, collection: Collection) -> bool:
    """Return whether a kustomization above an object's file may change its fields."""
    makers = everywhere_above(obj, collection)
    return any(maker.value.get(field) for maker in makers for field in _CHANGES)


def may_be_patched(obj: Object, path: Path, collection: Collection) -> bool:
    """Return whether a kustomization above an object's file has a patch for a field of the object,
    or a patch that is not in the set.

    Flux's Kustomizations patch everything they apply, and their path alone does not show that: its
    kustomization may build on other folders.
    """
    above_it = [(maker, maker.value) for maker in everywhere_above(obj, collection)]
    above_it += [(maker, maker.spec) for maker in collection.once(_of_flux)]
    return any(
        _may_touch(patch, target, obj, path)
        for maker, value in above_it
        for patch, target in _patch_texts(maker, value, collection)
    )


def _of_flux(collection: Collection) -> tuple[Object, ...]:
    """Return the Kustomizations of Flux of the whole run."""
    return tuple(maker for maker in collection.makers if maker.group == FLUX)


def may_be_named(obj: Object, path: Path, collection: Collection) -> bool:
    """Return whether a kustomization above an object's file may set a name in a field: that of the
    namespace, or one of its `vars` for `$(NAME)`.

    A file outside all kustomizations may be disabled for now, as in scaffolds with commented-out
    entries.
    """
    names_space = path[-1:] == ("namespace",) or (
        path == ("metadata", "name") and obj.is_a("", "Namespace")
    )
    is_variable = "$(" in text(at(obj.value, path))
    if not (names_space or is_variable):
        return False
    makers = everywhere_above(obj, collection) or [
        *_above(join(dirname(obj.file), NAMES[0]), collection.once(_built_everywhere)),
        *(maker for maker in collection.makers if _is_beside(maker, obj)),
    ]
    return any(
        (names_space and (maker.kind == COMPONENT or bool(maker.value.get("namespace"))))
        or (is_variable and bool(maker.value.get("vars")))
        for maker in makers
    )


def _is_beside(maker: Object, obj: Object) -> bool:
    return maker.group == GROUP and dirname(maker.file) == dirname(obj.file)


def is_base(obj: Object, collection: Collection) -> bool:
    """Return whether an object's file is in a base that no overlay of the run builds on."""
    if _BASES.isdisjoint(obj.file.split("/")):
        return False
    makers = everywhere_above(obj, collection)
    return all(not _BASES.isdisjoint(maker.file.split("/")) for maker in makers)


def _patch_texts(
    maker: Object, value: dict[str, Any], collection: Collection
) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Yield the text of each patch of a kustomization, None if it is not here, and its target."""
    for field in ALL_PATCHES:
        for item in items(value.get(field)):
            entry = mapping(item)
            patch = text(entry.get("patch")) or (item if "\n" in text(item) else None)
            if patch is None:
                source = collection.patches.get(_beside(maker, text(entry.get("path") or item)))
                patch = None if source is None else source.text
            yield patch, mapping(entry.get("target"))


def _may_touch(patch: str | None, target: dict[str, Any], obj: Object, path: Path) -> bool:
    is_meant = bool(target.get("kind", obj.kind) == obj.kind)
    if patch is None:
        return is_meant
    try:
        documents = [document.value for document in read(patch, "")]
    except InputError:
        return True
    if _hands_on(documents, obj, path):
        return True
    return is_meant and any(
        any(_points_to(text(mapping(operation).get("path")), path) for operation in items(document))
        if isinstance(document, list)
        else mapping(document).get("kind", obj.kind) == obj.kind and _reaches(document, path)
        for document in documents
    )


def _hands_on(documents: list[Any], obj: Object, path: Path) -> bool:
    """Return whether patches give Flux's Kustomizations patches of their own for a field."""
    inner = (at(document, ("spec", "patches")) for document in documents)
    return any(
        isinstance(patch := mapping(entry).get("patch"), str)
        and _may_touch(patch, mapping(mapping(entry).get("target")), obj, path)
        for entries in inner
        for entry in items(entries)
    )


def _points_to(pointer: str, path: Path) -> bool:
    """Return whether a JSON pointer refers to a field, or to an ancestor or descendant of it, with
    any index."""
    steps = zip(pointer.strip("/").split("/"), path, strict=False)
    return all(isinstance(step, int) or step == pointed for pointed, step in steps)


def _reaches(value: Any, path: Path) -> bool:
    """Return whether a value has a field, or a list on the way to it."""
    for step in path:
        if isinstance(value, list):
            return True
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


def is_part(maker: Object, collection: Collection) -> bool:
    """Return whether another kustomization builds on one."""
    return any(obj is not maker for obj in above(maker, collection))


def gets_selector(obj: Object, collection: Collection) -> bool:
    """Return whether a kustomization above an object's file adds labels to selectors."""
    return _adds_labels(obj, collection, "includeSelectors")


def may_be_labelled(obj: Object, path: Path, collection: Collection) -> bool:
    """Return whether a kustomization above an object's file adds to the labels in a field."""
    if path[-2:] != ("metadata", "labels"):
        return False
    # Of what is in an object, the labels for selectors go to templates as well.
    also = ("includeTemplates",) if len(path) > len(_OWN_LABELS) else ("pairs",)
    return _adds_labels(obj, collection, "includeSelectors", *also)


def _adds_labels(obj: Object, collection: Collection, *fields: str) -> bool:
    return any(
        maker.value.get("commonLabels")
        or any(
            mapping(label).get(field)
            for label in items(maker.value.get("labels"))
            for field in fields
        )
        for maker in everywhere_above(obj, collection)
    )


def built(name: str, kind: str, obj: Object, collection: Collection) -> Object | None:
    """Return the only object of a set with this name and a Kustomize suffix, if none has the plain
    name."""
    alike = [
        candidate
        for candidate in collection.once(_suffixed).get((kind, name), ())
        if same_namespace(candidate.namespace, obj.namespace)
    ]
    if len(alike) != 1 or collection.named("", kind, name, obj.namespace) is not None:
        return None
    return alike[0]


def has_names(obj: Object, collection: Collection) -> bool:
    """Return whether any object has a suffix, or gets one in a build."""
    return bool(collection.once(_suffixed)) or bool(_builders(obj, collection))


def _generated(collection: Collection) -> set[tuple[str, str]]:
    """Return kind and name of the objects that kustomizations generate."""
    return {
        (kind, text(mapping(entry).get("name")))
        for maker in kustomizations(collection)
        for kind, field in GENERATORS.items()
        for entry in items(maker.value.get(field))
    }


def _suffixed(collection: Collection) -> dict[tuple[str, str], list[Object]]:
    """Return ConfigMaps and Secrets with a suffix, by their kind and the name before it."""
    objects_by_name: dict[tuple[str, str], list[Object]] = {}
    for kind in GENERATORS:
        for obj in collection.of("", kind):
            name, _, suffix = obj.name.rpartition("-")
            if name and _suffix().fullmatch(suffix):
                objects_by_name.setdefault((kind, name), []).append(obj)
    return objects_by_name


def _builders(obj: Object, collection: Collection) -> list[Object]:
    """Return the kustomizations that build from an object's file."""
    makers_of_file = collection.once(_built_from)
    return list(makers_of_file.get(normpath(obj.file), ())) if makers_of_file else []


def above(obj: Object, collection: Collection) -> list[Object]:
    """Return the kustomizations that build from an object's file, and those that build from
    these."""
    return above_file(obj.file, collection)


def above_file(file: str, collection: Collection) -> list[Object]:
    """Return the kustomizations that build from a file, and those that build from these."""
    return _above(file, collection.once(_built_from))


def everywhere_above(obj: Object, collection: Collection) -> list[Object]:
    """Return the kustomizations of the whole run that build from an object's file, and those that
    build from these: of several overlays each makes another set."""
    return _above(obj.file, collection.once(_built_everywhere))


def _above(file: str, makers_of_file: dict[str, list[Object]]) -> list[Object]:
    if not makers_of_file:
        return []
    objects = _directly_above(file, makers_of_file)
    for maker in objects:  # it grows
        for name in (normpath(maker.file), normpath(dirname(maker.file) or ".")):
            objects += [obj for obj in makers_of_file.get(name, ()) if obj not in objects]
    return objects


def builders(obj: Object, collection: Collection) -> list[Object]:
    """List the kustomizations that name an object's file, or its folder where it is one of them."""
    makers_of_file = collection.once(_built_from)
    return _directly_above(obj.file, makers_of_file) if makers_of_file else []


def _directly_above(file: str, makers_of_file: dict[str, list[Object]]) -> list[Object]:
    objects = list(makers_of_file.get(normpath(file), ()))
    if is_kustomization(file):
        objects += makers_of_file.get(normpath(dirname(file) or "."), ())
    return objects


def _built_from(collection: Collection) -> dict[str, list[Object]]:
    """Return the kustomizations, by the files that they build from."""
    return _by_file(kustomizations(collection))


def _built_everywhere(collection: Collection) -> dict[str, list[Object]]:
    """Return the kustomizations of the whole run, by the files that they build from."""
    return _by_file(collection.makers)


def _by_file(makers: Iterable[Object]) -> dict[str, list[Object]]:
    objects_by_folder: dict[str, list[Object]] = {}
    for maker in makers:
        for file in (file for field in BUILDS for file in items(maker.value.get(field))):
            if isinstance(file, str):
                objects_by_folder.setdefault(_beside(maker, file), []).append(maker)
    return objects_by_folder


def is_hashed(kustomization: dict[str, Any], generator: dict[str, Any]) -> bool:
    """Return whether a generator's objects get a suffix."""
    options = (kustomization.get("generatorOptions"), generator.get("options"))
    return not any(mapping(option).get("disableNameSuffixHash") for option in options)


def _beside(obj: Object, file: str) -> str:
    """Return the run's name of a file in a kustomization."""
    return normpath(join(dirname(obj.file), file))


def _values(patch_text: str) -> list[dict[str, Any]]:
    """Return the objects in a patch; empty for a JSON patch, and for an unreadable one."""
    try:
        documents = read(patch_text, "")
    except InputError:
        return []
    return [document.value for document in documents if isinstance(document.value, dict)]


@cache
def _suffix() -> re.Pattern[str]:
    # Hexadecimal, with letters in place of 0, 1, 3, a and e, so that no word comes out.
    return re.compile("[2456789bcdfghkmt]{10}")
