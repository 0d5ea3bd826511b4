"""Values of Flux's releases in ConfigMaps: in the set, or in files from which Kustomize makes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.release import FLUX, KUSTOMIZE, releases
from gpuspec.loading.kustomize import KINDS
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.charts.release import Release
    from gpuspec.loading.units import Unit
    from gpuspec.objects.objects import Object

_KEY = "values.yaml"


class ValuesSource(msgspec.Struct, frozen=True):
    """A ConfigMap that a release takes values from."""

    of: Object
    name: str
    key: str
    release: Release
    """The release without its values."""


def sources(units: Sequence[Unit]) -> list[ValuesSource]:
    """Return the ConfigMaps that the releases among some units name, if each holds a whole file of
    values.
    """
    return [
        source
        for unit in units
        if unit.object.is_a(FLUX, "HelmRelease")
        for source in _sources(unit.object)
    ]


def generated(source: ValuesSource, units: Sequence[Unit]) -> Iterator[str]:
    """Yield the files from which Kustomize makes such a ConfigMap: in the release's folder, or
    above it.
    """
    folder = os.path.dirname(source.of.file)
    for unit in units:
        obj = unit.object
        if obj.group != KUSTOMIZE or obj.kind not in KINDS:
            continue
        above = os.path.dirname(obj.file)
        if not f"{folder}/".startswith(f"{above}/" if above else ""):
            continue
        for entry in map(mapping, items(obj.value.get("configMapGenerator"))):
            if entry.get("name") != source.name:
                continue
            for file in filter(None, map(text, items(entry.get("files")))):
                key, equals, path = file.partition("=")
                path = path if equals else key
                if (key if equals else os.path.basename(path)) == source.key:
                    yield os.path.join(above, path)


def written(source: ValuesSource, units: Sequence[Unit]) -> Iterator[tuple[Unit, Release]]:
    """Yield the ConfigMaps of a set that are the source, with the release that their text makes."""
    for unit in units:
        obj = unit.object
        same = obj.is_a("", "ConfigMap") and obj.name == source.name
        if not same or source.of.namespace not in ("", obj.namespace):
            continue
        content = text(mapping(obj.value.get("data")).get(source.key))
        try:
            documents = read(content, source.key)
        except (InputError, ValueError):
            continue
        values = documents[0].value if len(documents) == 1 else None
        if isinstance(values, dict):
            path = obj.path("data", source.key)
            yield (
                unit,
                msgspec.structs.replace(source.release, values=values, path=path, is_text=True),
            )


def _sources(obj: Object) -> Iterator[ValuesSource]:
    entries = [mapping(entry) for entry in items(obj.spec.get("valuesFrom"))]
    chart = mapping(mapping(obj.spec.get("chart")).get("spec"))
    alone = len(entries) == 1 and not obj.spec.get("values") and not chart.get("valuesFiles")
    for release in releases(obj):
        bare = msgspec.structs.replace(release, values={}, path=(), is_text=False, whole=alone)
        for entry in entries:
            # With a target path, the text is one value.
            if entry.get("kind") == "ConfigMap" and not entry.get("targetPath"):
                yield ValuesSource(
                    obj, text(entry.get("name")), text(entry.get("valuesKey")) or _KEY, bare
                )
