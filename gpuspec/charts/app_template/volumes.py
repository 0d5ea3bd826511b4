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
    for key, one in app.volumes.items():
        mounts = list(_mounts(key, one, controller, containers))
        if not mounts and not _is_there(one, controller):
            continue
        if _put_volume(sheet, app, key, one, (*spec, "volumes", count)):
            count += 1
            for path, mount, origin in mounts:
                _put_mount(sheet, app, key, path, mount, origin)


def _is_there(one: dict[str, Any], controller: str) -> bool:
    """Return whether a pod has a volume that none of its containers mounts."""
    chosen = mapping(one.get("advancedMounts"))
    return bool(chosen.get(controller)) or not (chosen or one.get("globalMounts"))


def _put_volume(sheet: Sheet, app: App, key: str, one: dict[str, Any], path: Path) -> bool:
    origin: Path = ("persistence", key)
    kind = text(one.get("type")) or "persistentVolumeClaim"
    if kind == "custom":
        if not isinstance(one.get("volumeSpec"), dict):
            return False
        sheet.put(path, {"name": key, **one["volumeSpec"]}, (*origin, "volumeSpec"))
        return True
    if kind == "persistentVolumeClaim":
        own = app.called(key, one, app.claims)
        claim = text(app.filled(one.get("existingClaim"))) or own
        sheet.put(path, {"name": key}, origin)
        sheet.put((*path, kind, "claimName"), claim, (*origin, "existingClaim"))
        return True
    if kind not in _FIELDS:
        return False
    sheet.put(path, {"name": key, kind: {}}, origin)
    for field, called in _FIELDS[kind].items():
        if not is_empty(one.get(field)):
            sheet.put((*path, kind, called), app.filled(one[field]), (*origin, field))
    if kind in ("configMap", "secret") and (identifier := text(one.get("identifier"))):
        name = _FIELDS[kind]["name"]
        sheet.put((*path, kind, name), app.called(identifier, {}, 2), (*origin, "identifier"))
    return True


def _mounts(
    key: str, one: dict[str, Any], controller: str, containers: dict[str, Path]
) -> Iterator[tuple[Path, object, Path]]:
    """Yield the mounts of an entry in a pod: the container's path, the mount, and its place."""
    origin: Path = ("persistence", key)
    everywhere, chosen = items(one.get("globalMounts")), mapping(one.get("advancedMounts"))
    if not everywhere and not chosen:
        for container in containers.values():
            yield container, {}, origin
        return
    for name, container in containers.items():
        for index, mount in enumerate(everywhere):
            yield container, mount, (*origin, "globalMounts", index)
        for index, mount in enumerate(items(mapping(chosen.get(controller)).get(name))):
            yield container, mount, (*origin, "advancedMounts", controller, name, index)


def _put_mount(sheet: Sheet, app: App, key: str, there: Path, mount: object, origin: Path) -> None:
    written = mapping(mount)
    one = app.volumes[key]
    default = text(one.get("hostPath")) if one.get("type") == "hostPath" else ""
    path = text(app.filled(written.get("path"))) or default or f"/{key}"
    count = len(items(mapping(at(sheet.value, there)).get("volumeMounts")))
    entry = (*there, "volumeMounts", count)
    sheet.put(entry, {"name": key}, origin)
    sheet.put((*entry, "mountPath"), path, (*origin, "path") if "path" in written else origin)
    for field in _MOUNT:
        if not is_empty(written.get(field)):
            sheet.put((*entry, field), written[field], (*origin, field))
