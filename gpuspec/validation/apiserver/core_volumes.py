"""The volumes of a pod, and what mounts them.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `ValidateVolumes` and
`ValidateVolumeMounts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.apiserver.reading import inner, is_new, maps, refused, to_signer
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

LISTS = ("containers", "initContainers")
_CLAIMED = ("persistentVolumeClaim", "ephemeral")
_LONGEST_ISCSI = 64


def volume(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the names of an iSCSI volume and its portal are short enough together."""
    disk = value.get("iscsi")
    if not disk or disk.get("initiatorName") is None:
        return
    name, portal = value.get("name") or "", disk.get("targetPortal") or ""
    if len(f"{name}:{portal}") > _LONGEST_ISCSI:
        yield refused(
            ("name",),
            f"with `:` and `targetPortal` it is longer than {_LONGEST_ISCSI} characters",
            "shorten the name, or omit `initiatorName`",
        )


def fibre(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a target by its name has a unit."""
    if value.get("targetWWNs") and value.get("lun") is None:
        message = "`lun` is missing, but `targetWWNs` needs it"
        yield refused(("lun",), message, lacking=True)


def quobyte(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the registry is a list of hosts with their ports."""
    registry = value.get("registry")
    if registry and not all(_is_host_and_port(address) for address in registry.split(",")):
        yield refused(("registry",), "expected hosts with ports, such as `a:7861,b:7861`")


def _is_host_and_port(text: str) -> bool:
    if text.startswith("["):
        host, closed, port = text.rpartition("]:")
        return bool(closed) and "[" not in host[1:] and ":" not in port
    return text.count(":") == 1 and "[" not in text and "]" not in text


def flexible(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that no option has a prefix that Kubernetes reserves."""
    for name in value.get("options") or ():
        home = f".{name.partition('/')[0].lower()}"
        if home.endswith((".kubernetes.io", ".k8s.io")):
            yield refused(("options", name), "Kubernetes reserves this name")


def azure(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a disk's URI matches its kind."""
    address = value.get("diskURI")
    if address:
        managed = value.get("kind") == "Managed"
        start = "/subscriptions/" if managed else "https://"
        if not address.startswith(start):
            kind = value.get("kind") or "Shared"
            yield refused(
                ("diskURI",), f"with `kind: {kind}`, expected a value that begins with `{start}`"
            )


def projected(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Yield sources that write a file of an earlier one."""
    paths_seen: set[str] = set()
    for path, file_path in _written(value, version):
        if file_path in paths_seen:
            yield refused(path, f"another source writes `{file_path}` too")
        paths_seen.add(file_path)


def _written(value: Map, version: str) -> Iterator[tuple[Path, str]]:
    """Yield the files that the sources of a volume write; a token may share its path with others."""
    for index, source in maps(value, "sources"):
        for kind in ("secret", "configMap", "downwardAPI"):
            for number, item in maps(source.get(kind) or {}, "items"):
                if file := item.get("path"):
                    yield ("sources", index, kind, "items", number, "path"), file
        for kind, fields in _PATHS.items() if is_new(version) else ():
            for field in fields:
                if file := inner(source, kind).get(field):
                    yield ("sources", index, kind, field), file


_PATHS = {
    "clusterTrustBundle": ("path",),
    "podCertificate": ("credentialBundlePath", "keyPath", "certificateChainPath"),
}


def mounts(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that containers mount volumes of the pod, and use its devices."""
    volumes: dict[Any, Map] = {volume.get("name"): volume for _, volume in maps(spec, "volumes")}
    for field in LISTS:
        for index, container in maps(spec, field):
            if container.get("volumeMounts") or container.get("volumeDevices"):
                for violation in _mounted(container, volumes):
                    yield placed((field, index), violation)


def _mounted(container: Map, volumes: dict[Any, Map]) -> Iterator[SchemaViolation]:
    devices = {volume_device.get("name") for _, volume_device in maps(container, "volumeDevices")}
    paths = {
        volume_device.get("devicePath") for _, volume_device in maps(container, "volumeDevices")
    }
    for number, mount in maps(container, "volumeMounts"):
        name = mount.get("name")
        if name and name not in volumes:
            path = ("volumeMounts", number, "name")
            yield refused(path, f"the pod has no volume `{name}`", lacking=True)
        if devices and name in devices:
            yield refused(
                ("volumeMounts", number, "name"),
                f"`{name}` is in `volumeDevices` too: a volume is a filesystem or a device",
            )
        if paths and mount.get("mountPath") in paths:
            path = ("volumeMounts", number, "mountPath")
            yield refused(path, "`volumeDevices` has this path too")
        if mount.get("mountPropagation") == "Bidirectional" and not _is_privileged(container):
            yield refused(
                ("volumeMounts", number, "mountPropagation"),
                "only a privileged container can have `Bidirectional`",
                "HostToContainer needs no privileges",
                lacking="privileged" not in inner(container, "securityContext"),
            )
        if mount.get("recursiveReadOnly") in ("Enabled", "IfPossible"):
            yield from _read_only(mount, ("volumeMounts", number, "recursiveReadOnly"))
    paths_seen: set[str] = set()
    for number, device in maps(container, "volumeDevices"):
        name, place = device.get("name"), device.get("devicePath") or ""
        if name and name not in volumes:
            path = ("volumeDevices", number, "name")
            yield refused(path, f"the pod has no volume `{name}`", lacking=True)
        elif name and not any(volumes[name].get(kind) is not None for kind in _CLAIMED):
            yield refused(
                ("volumeDevices", number, "name"),
                f"volume `{name}` cannot be a device: only `{_CLAIMED[0]}` and `{_CLAIMED[1]}` "
                "can be",
            )
        if place and place in paths_seen:
            path = ("volumeDevices", number, "devicePath")
            yield refused(path, f"another device has `{place}` too")
        paths_seen.add(place)


def _is_privileged(container: Map) -> bool:
    return inner(container, "securityContext").get("privileged") is True


def _read_only(mount: Map, path: Path) -> Iterator[SchemaViolation]:
    if mount.get("readOnly") is not True:
        yield refused(path, "it needs `readOnly: true`", lacking="readOnly" not in mount)
    if mount.get("mountPropagation") not in (None, "None"):
        yield refused(path, "it needs `mountPropagation: None`")


def certificate(source: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the size of a pod's annotations for a signer."""
    if is_new(version):
        yield from to_signer(source, "userAnnotations")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.AzureDiskVolumeSource": (azure,),
    "core.v1.FCVolumeSource": (fibre,),
    "core.v1.FlexPersistentVolumeSource": (flexible,),
    "core.v1.FlexVolumeSource": (flexible,),
    "core.v1.PodCertificateProjection": (certificate,),
    "core.v1.PodSpec": (mounts,),
    "core.v1.ProjectedVolumeSource": (projected,),
    "core.v1.QuobyteVolumeSource": (quobyte,),
    "core.v1.Volume": (volume,),
}
