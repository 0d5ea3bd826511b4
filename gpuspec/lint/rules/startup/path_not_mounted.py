"""A path of a program that is on no mount, while the pod has the volume that was meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.reading.names import slip
from gpuspec.lint.analysis.security.users import mount_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod, meet

RULE = Rule(
    "GPU949",
    "path-not-mounted",
    "warning",
    "A program's path is on no mount, although the pod has a volume for it",
    gives_way=("GPU822", "GPU883"),
)
_OPEN = ("$", "{", "*", "<", "`", " ", "\n", "//", ":")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield paths in arguments and variables, by volumes without a mount and by mounts of nearly
    the same name."""
    unmounted = {name: _files(name, pod, context.collection) for name in _unmounted(pod)}
    for container in pod.every:
        for file_path, path in _paths(container):
            if mount_of(container, file_path) is not None or _has_mount_below(container, file_path):
                continue
            finding = next(
                (
                    match
                    for name, files in unmounted.items()
                    if (match := _by_volume(file_path, path, name, files, pod))
                ),
                None,
            ) or _by_mount(file_path, path, container)
            if finding is not None:
                yield finding
                break


def _unmounted(pod: Pod) -> list[str]:
    """Return the volumes that no container mounts."""
    used = {
        text(mapping(entry).get("name"))
        for container in pod.every
        for field in ("volumeMounts", "volumeDevices")
        for entry in items(container.value.get(field))
    }
    return [name for name in pod.volumes if name not in used]


def _paths(container: PodContainer) -> Iterator[tuple[str, Path]]:
    """Yield the absolute paths that a container is given as values."""
    for word in container.words:
        value = word.text.partition("=")[2] if word.text.startswith("-") else word.text
        if _is_path(value):
            yield value, word.path
    for name in container.env:
        value = container.env_value(name) or ""
        if _is_path(value):
            yield value, (*container.env_path(name), "value")


def _is_path(value: str) -> bool:
    return value.startswith("/") and len(value) > 1 and not any(sign in value for sign in _OPEN)


def _has_mount_below(container: PodContainer, folder: str) -> bool:
    return any(mount.startswith(folder.rstrip("/") + "/") for mount in container.mounts)


def _by_volume(
    file_path: str, path: Path, name: str, files: frozenset[str], pod: Pod
) -> RawFinding | None:
    """Return a path that is in a volume without a mount: by its file, or by its folder's name."""
    index, _ = pod.volumes[name]
    folder, _, file = file_path.rpartition("/")
    if folder and file in files:
        cause = f"volume `{name}`, which has the file `{file}`, is not mounted"
    elif "/" in file_path[1:] and name in file_path[1:].split("/")[:-1]:
        folder = file_path[: file_path.index(f"/{name}/") + len(name) + 1]
        cause = f"volume `{name}` is not mounted"
    else:
        return None
    return RawFinding(
        path,
        f"{cause}: the program does not find `{file_path}`",
        note=f"mount the volume `{name}` at `{folder}`",
        confidence="likely",
        related=(
            RelatedPlace(pod.object.number, pod.path("volumes", index, "name"), "the volume"),
        ),
    )


def _config(volume: dict[str, Any], pod: Pod, collection: Collection) -> Object | None:
    name = text(mapping(volume.get("configMap")).get("name"))
    objects = collection.all_named("", "ConfigMap", name, pod.object.namespace) if name else []
    return objects[0] if len(objects) == 1 and meet(objects[0], pod.object) else None


def _files(name: str, pod: Pod, collection: Collection) -> frozenset[str]:
    """Return the files of a volume with a ConfigMap of the set."""
    volume = pod.volumes[name][1]
    config = _config(volume, pod, collection)
    if config is None:
        return frozenset()
    entries = items(mapping(volume.get("configMap")).get("items"))
    if entries:
        return frozenset(text(mapping(entry).get("path")) for entry in entries)
    return frozenset(key for key in mapping(config.value.get("data")) if isinstance(key, str))


def _by_mount(file_path: str, path: Path, container: PodContainer) -> RawFinding | None:
    """Return a path whose folder differs from a mount by a letter."""
    parts = file_path.rstrip("/").split("/")
    for mount in container.mounts:
        count = mount.count("/") + 1
        folder = "/".join(parts[:count])
        if len(parts) >= count and slip(folder, mount):
            return RawFinding(
                path,
                f"`{file_path}` is not below the mount `{mount}`: the program does not find the volume's "
                "files",
                note=f"write `{mount}{file_path.removeprefix(folder)}`, or mount the volume at `{folder}`",
                confidence="likely",
            )
    return None
