"""Files of a container from ConfigMaps of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod


class MountedFile(msgspec.Struct, frozen=True):
    """A YAML or JSON file, and its ConfigMap."""

    object: Object
    key: str
    settings: dict[str, Any]


def mounted(
    pod: Pod, container: PodContainer, path: str, collection: Collection
) -> MountedFile | None:
    """Return the contents of a mounted file; None if it is not in the run, or is no mapping."""
    for key, name in _places(pod, container, path):
        obj = collection.named("", "ConfigMap", name, pod.object.namespace)
        content = text(mapping(obj.value.get("data")).get(key)) if obj is not None else ""
        if obj is None or not content:
            continue
        settings = contents(content)
        return MountedFile(obj, key, settings) if settings else None
    return None


def contents(text: str) -> dict[str, Any]:
    """Return the mapping in a YAML or JSON text; empty if it has none."""
    try:
        documents = read(text, "a ConfigMap")
    except (InputError, ValueError):
        return {}
    value = documents[0].value if documents else None
    return value if isinstance(value, dict) else {}


def _places(pod: Pod, container: PodContainer, path: str) -> Iterator[tuple[str, str]]:
    """Yield key and ConfigMap of each mount with the path, the innermost first."""
    for at, (_, mount) in sorted(container.mounts.items(), reverse=True):
        volume = pod.volumes.get(text(mount.get("name")))
        source = mapping(volume[1].get("configMap")) if volume is not None else {}
        inside = path if path == at else path.removeprefix(f"{at}/")
        if not source or (inside == path and path != at):
            continue
        sub = text(mount.get("subPath"))
        file = sub if path == at else f"{sub}/{inside}".lstrip("/")
        yield _key(source, file), text(source.get("name"))


def _key(source: dict[str, Any], file: str) -> str:
    """Return the key of a volume's file."""
    for item in map(mapping, items(source.get("items"))):
        if item.get("path") == file:
            return text(item.get("key"))
    return file
