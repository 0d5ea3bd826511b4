"""Rules for volumes: one source each, unique names and mount paths."""

import posixpath
import re
from collections.abc import Iterator

from gpuspec.manifests import Path, dns_label
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.layout import SHM, OwnMount, own_mounts
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation, camel, chosen, exactly_one
from gpuspec.spec.volumes import Volume

SOURCES = ("pvc", "config_map", "secret", "image", "size", "host_path", "csi")
_OF_THE_POOL = "where a pool has its local disk"
_SYSTEM = ("/dev", "/proc", "/sys")


def volume_name(volume: Volume) -> str:
    """Return the name of a volume: as given, or derived from its mount path."""
    return volume.name or re.sub(r"[^a-z0-9]+", "-", volume.mount.lower()).strip("-")


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the declared volumes, against each other and against gpuspec's
    own."""
    mounts = own_mounts(spec)
    names = {mount.volume: _ours(mount) for mount in mounts}
    places = {
        _normal(mount.path): _ours(mount) for mount in mounts if mount.volume != "model-cache"
    }
    if len(places) < len([mount for mount in mounts if mount.volume != "model-cache"]):
        yield from _own_twice(mounts)
    yield from _of_fields(spec)
    for index, volume in enumerate(spec.volumes):
        path: Path = ("spec", "volumes", index)
        yield from _form(volume, path)
        yield from _host_path(spec, volume.host_path, (*path, "hostPath"))
        if volume.local_disk and not chosen(volume, SOURCES):
            yield from _host_path(spec, _OF_THE_POOL, (*path, "localDisk"))
        name, place = volume_name(volume), _normal(volume.mount)
        at = (*path, "name" if volume.name else "mount")
        if reason := dns_label(name):
            yield SpecViolation(
                f"the volume's name, made from its path, {reason}", at, "set a `name`"
            )
        elif name in names:
            yield SpecViolation(f"the name `{name}` is {names[name]}", at, "choose another `name`")
        if place in places:
            yield SpecViolation(
                f"`{place}` is {places[place]}", (*path, "mount"), _place_hint(place)
            )
        yield from _inside(place, mounts, (*path, "mount"))
        names.setdefault(name, "the name of another volume")
        places.setdefault(place, "where another volume is mounted")


def _form(volume: Volume, path: Path) -> Iterator[SpecViolation]:
    if not volume.local_disk or chosen(volume, SOURCES):
        yield from exactly_one(volume, SOURCES, path, f"the volume at {shown(volume.mount)}")
    yield from image(volume.image, (*path, "image"))
    place = _normal(volume.mount)
    if place == "/":
        yield SpecViolation("a volume at `/` hides the image's files", (*path, "mount"))
    if place != SHM and any(_is_within(place, system) for system in _SYSTEM):
        yield SpecViolation(f"`{place}` is reserved for the container runtime", (*path, "mount"))
    if volume.read_only and volume.size is not None:
        message = "a read-only scratch volume stays empty"
        yield SpecViolation(
            message, (*path, "readOnly"), "delete `readOnly`", needs=((*path, "size"),)
        )

    if volume.storage_class is not None and volume.size is None:
        message = "`storageClass` is for a scratch volume, and there is no `size`"
        hint = "set its `size`, or delete it: a claim has its own class"
        yield SpecViolation(
            message, (*path, "storageClass"), hint, key=True, needs=((*path, "size"),)
        )
    beside = [name for name in chosen(volume, (*SOURCES, "storage_class")) if name != "size"]
    if volume.local_disk and beside:
        message = f"`{camel(beside[0])}` is not on the node's own disks"
        hint = "delete one: `localDisk` goes with `size`, or without a source"
        yield SpecViolation(message, (*path, "localDisk"), hint, key=True, needs=(path,))
    if volume.mode is not None and volume.secret is None and volume.config_map is None:
        message = "`mode` is for the files of a Secret or ConfigMap"
        yield SpecViolation(message, (*path, "mode"), "delete it", key=True, needs=(path,))


def _of_fields(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the sources in the fields for models and caches."""
    for name, field in (("model", "model"), ("base_model", "baseModel")):
        model: ModelRef | None = getattr(spec, name, None)
        if model is not None:
            path: Path = ("spec", field, "source", "hostPath")
            yield from _host_path(spec, model.source.host_path, path)
    caches = spec.caches
    if caches is None:
        return
    where: Path = ("spec", "caches")
    yield from exactly_one(caches, ("pvc", "host_path", "local_disk"), where, "`caches`")
    yield from _host_path(spec, caches.host_path, (*where, "hostPath"))
    if caches.local_disk:
        yield from _host_path(spec, _OF_THE_POOL, (*where, "localDisk"))


def _host_path(spec: WorkloadSpec, folder: str | None, path: Path) -> Iterator[SpecViolation]:
    if folder is None or spec.waivers.host_path is not None:
        return
    folder_text = folder if folder == _OF_THE_POOL else shown(folder)
    yield SpecViolation(
        f"{folder_text} is a folder of the node, which Pod Security forbids",
        path,
        "use a `pvc`, or give the reason in `waivers.hostPath`",
        needs=(("spec", "waivers"),),
    )


def _inside(place: str, mounts: list[OwnMount], path: Path) -> Iterator[SpecViolation]:
    """Check that no mount point is below a read-only mount, where it cannot be created."""
    for mount in mounts:
        above = _normal(mount.path)
        if mount.read_only and place != above and _is_within(place, above):
            yield SpecViolation(
                f"`{place}` is inside `{above}`, where `{mount.field}` is mounted read-only",
                path,
                "mount it elsewhere: its folder cannot be created there",
            )


def _own_twice(mounts: list[OwnMount]) -> Iterator[SpecViolation]:
    """Yield two fields with the same mount path, such as `dataset.mount` at /checkpoints."""
    mount_of_path: dict[str, OwnMount] = {}
    for mount in mounts:
        if mount.volume == "model-cache":
            continue
        first = mount_of_path.setdefault(_normal(mount.path), mount)
        if first is not mount and mount.field is not None:
            yield SpecViolation(
                f"`{_normal(mount.path)}` is {_ours(first)}",
                ("spec", *_steps(mount.field), "mount"),
                "choose another `mount`",
            )


def _steps(field: str) -> Path:
    return (field, "source") if field in ("model", "baseModel") else (field,)


def _ours(mount: OwnMount) -> str:
    if mount.field is None:
        return f"a scratch volume of every pod (`{mount.volume}`)"
    return f"used by `{mount.field}`"


def _place_hint(place: str) -> str | None:
    return "`resources.shm` sizes it" if place == SHM else "mount it elsewhere"


def _normal(path: str) -> str:
    """Return the path without doubled or trailing slashes and dots."""
    return posixpath.normpath("/" + path.lstrip("/"))


def _is_within(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip("/") + "/")
