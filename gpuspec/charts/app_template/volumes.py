"""Persistence: volumes of a controller's pod, and their mounts in its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.chart_object import is_empty
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.app_template.app import App
    from gpuspec.charts.chart_object import Sheet
    from gpuspec.manifests import Path

_FIELDS: dict[str, dict[str, str]] = {
    "emptyDir": {"medium": "medium", "sizeLimit": "sizeLimit"},
    "hostPath": {"hostPath": "path", "hostPathType": "type"},
    "nfs": {"server": "server", "path": "path"},
    "configMap": {"name": "name", "defaultMode": "defaultMode", "items": "items"},
    "secret": {"name": "secretName", "defaultMode": "defaultMode", "items": "items"},
}
"""By type: the fields of an entry, and their names in a volume."""
_MOUNT = ("subPath", "subPathExpr", "readOnly", "mountPropagation")


def put_volumes(
    sheet: Sheet, app: App, controller: str, spec: Path, containers: dict[str, Path]
) -> None:
    """Write the volumes of a controller's pod and their mounts; `containers` has the places of
    these.
    """
    count = 0
    for key, entry in app.volumes.items():
        mounts = list(_mounts(key, entry, controller, containers))
        if not mounts and not _is_there(entry, controller):
            continue
        if _put_volume(sheet, app, key, entry, (*spec, "volumes", count)):
            count += 1
            for path, mount, origin in mounts:
                _put_mount(sheet, app, key, path, mount, origin)


def _is_there(entry: dict[str, Any], controller: str) -> bool:
    """Return whether a pod has a volume that none of its containers mounts."""
    chosen = mapping(entry.get("advancedMounts"))
    return bool(chosen.get(controller)) or not (chosen or entry.get("globalMounts"))


def _put_volume(sheet: Sheet, app: App, key: str, entry: dict[str, Any], path: Path) -> bool:
    origin: Path = ("persistence", key)
    kind = text(entry.get("type")) or "persistentVolumeClaim"
    if kind == "custom":
        if not isinstance(entry.get("volumeSpec"), dict):
            return False
        sheet.put(path, {"name": key, **entry["volumeSpec"]}, (*origin, "volumeSpec"))
        return True
    if kind == "persistentVolumeClaim":
        default_claim = app.called(key, entry, app.claims)
        claim = text(app.filled(entry.get("existingClaim"))) or default_claim
        sheet.put(path, {"name": key}, origin)
        sheet.put((*path, kind, "claimName"), claim, (*origin, "existingClaim"))
        return True
    if kind not in _FIELDS:
        return False
    sheet.put(path, {"name": key, kind: {}}, origin)
    for field, called in _FIELDS[kind].items():
        if not is_empty(entry.get(field)):
            sheet.put((*path, kind, called), app.filled(entry[field]), (*origin, field))
    if kind in ("configMap", "secret") and (identifier := text(entry.get("identifier"))):
        name = _FIELDS[kind]["name"]
        sheet.put((*path, kind, name), app.called(identifier, {}, 2), (*origin, "identifier"))
    return True


def _mounts(
    key: str, entry: dict[str, Any], controller: str, containers: dict[str, Path]
) -> Iterator[tuple[Path, object, Path]]:
    """Yield the mounts of an entry in a pod: the container's path, the mount, and its place."""
    origin: Path = ("persistence", key)
    everywhere, chosen = items(entry.get("globalMounts")), mapping(entry.get("advancedMounts"))
    if not everywhere and not chosen:
        for container in containers.values():
            yield container, {}, origin
        return
    for name, container in containers.items():
        for index, mount in enumerate(everywhere):
            yield container, mount, (*origin, "globalMounts", index)
        for index, mount in enumerate(items(mapping(chosen.get(controller)).get(name))):
            yield container, mount, (*origin, "advancedMounts", controller, name, index)


def _put_mount(
    sheet: Sheet, app: App, key: str, container_path: Path, mount: object, origin: Path
) -> None:
    fields = mapping(mount)
    volume = app.volumes[key]
    default = text(volume.get("hostPath")) if volume.get("type") == "hostPath" else ""
    path = text(app.filled(fields.get("path"))) or default or f"/{key}"
    count = len(items(mapping(at(sheet.value, container_path)).get("volumeMounts")))
    entry = (*container_path, "volumeMounts", count)
    sheet.put(entry, {"name": key}, origin)
    sheet.put((*entry, "mountPath"), path, (*origin, "path") if "path" in fields else origin)
    for field in _MOUNT:
        if not is_empty(fields.get(field)):
            sheet.put((*entry, field), fields[field], (*origin, field))
