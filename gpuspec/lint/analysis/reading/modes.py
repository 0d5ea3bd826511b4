"""The permissions of files that come from ConfigMaps and Secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.security.users import mount_of
from gpuspec.manifests.values import items, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

USUAL = 0o644
"""The default mode of files in these volumes."""
_SOURCES = ("configMap", "secret", "projected")


class Mode(msgspec.Struct, frozen=True):
    """The permissions of a file in a volume."""

    bits: int
    path: Path
    """The path of the setting, or where it would be."""
    volume: str


def mode_of(pod: Pod, container: PodContainer, file: str) -> Mode | None:
    """Return the mode of a mounted file; None if it is in no volume of this kind."""
    mount = mount_of(container, file)
    entry = {} if mount is None else container.mounts[mount][1]
    name = text(entry.get("name"))
    indexed_volume = pod.volumes.get(name)
    if mount is None or indexed_volume is None:
        return None
    index, volume = indexed_volume
    kind = next(
        (source_kind for source_kind in _SOURCES if isinstance(volume.get(source_kind), dict)), None
    )
    if kind is None:
        return None
    source, base = volume[kind], pod.path("volumes", index, kind)
    inside = text(entry.get("subPath")) or file.removeprefix(mount).lstrip("/")
    for item, path in _items(source, base, kind):
        if text(item.get("path")) == inside and (bits := whole(item.get("mode"))) is not None:
            return Mode(bits, (*path, "mode"), name)
    bits = whole(source.get("defaultMode"))
    if bits is None and source.get("defaultMode") is not None:
        # No number: the API server takes none of it.
        return None
    return Mode(USUAL if bits is None else bits, (*base, "defaultMode"), name)


def written_modes(pod: Pod) -> Iterator[tuple[int, Path]]:
    """Yield every mode in a pod's volumes."""
    for index, volume in pod.volumes.values():
        for kind in _SOURCES:
            source = mapping(volume.get(kind))
            base = pod.path("volumes", index, kind)
            places = [(source, "defaultMode", base)]
            places += [(item, "mode", path) for item, path in _items(source, base, kind)]
            for holder, field, path in places:
                bits = whole(holder.get(field))
                if bits is not None:
                    yield bits, (*path, field)


def _items(source: dict[str, Any], base: Path, kind: str) -> Iterator[tuple[dict[str, Any], Path]]:
    """Yield the items that name single files of a source, with their paths."""
    if kind != "projected":
        for at, item in enumerate(items(source.get("items"))):
            yield mapping(item), (*base, "items", at)
        return
    for index, projection in enumerate(items(source.get("sources"))):
        for inner in ("configMap", "secret"):
            for at, item in enumerate(items(mapping(mapping(projection).get(inner)).get("items"))):
                yield mapping(item), (*base, "sources", index, inner, "items", at)
