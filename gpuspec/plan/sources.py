"""The source of a volume, in Kubernetes' fields."""

from typing import Any

from gpuspec.numbers import of_digits
from gpuspec.plan import local_disk
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.volumes import Source
from gpuspec.spec import ModelRef, Volume
from gpuspec.spec.volumes import Csi

# Who may mount a volume that one pod alone has, best first; the first is also for want of better.
_ALONE = ("ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany")


def claim(name: str) -> Source:
    """Return an existing claim."""
    return {"persistentVolumeClaim": {"claimName": name}}


def image(reference: str) -> Source:
    """Return an image or artifact of a registry."""
    return {"image": {"reference": reference, "pullPolicy": "IfNotPresent"}}


def host_path(folder: str) -> Source:
    """Return a folder of the node. A missing folder is not created: it would belong to root."""
    return {"hostPath": {"path": folder, "type": "Directory"}}


def weights(ref: ModelRef) -> tuple[str, Source]:
    """Return the source of mounted weights, and the field of `source` with it."""
    source = ref.source
    if source.pvc:
        return "pvc", claim(source.pvc)
    if source.host_path:
        return "hostPath", host_path(source.host_path)
    return "image", image(str(source.image))


def declared(resolution: Resolution, volume: Volume) -> Source:
    """Return a volume of the spec's own."""
    if volume.pvc:
        return claim(volume.pvc)
    if volume.config_map:
        return {"configMap": {"name": volume.config_map, **_mode(volume)}}
    if volume.secret:
        return {"secret": {"secretName": volume.secret, **_mode(volume)}}
    if volume.image:
        return image(volume.image)
    if volume.host_path:
        return host_path(volume.host_path)
    if volume.csi:
        return {"csi": _csi(volume.csi, read_only=volume.read_only)}
    if volume.local_disk and volume.size is None:
        return host_path(local_disk.folder(resolution))
    if volume.storage_class:
        return _ephemeral(resolution, volume, volume.storage_class)
    return {"emptyDir": {"sizeLimit": str(volume.size)}}


def _mode(volume: Volume) -> dict[str, int]:
    return {} if volume.mode is None else {"defaultMode": of_digits(volume.mode, 8)}


def _csi(csi: Csi, *, read_only: bool) -> dict[str, Any]:
    volume: dict[str, Any] = {"driver": csi.driver}
    if read_only:
        volume["readOnly"] = True
    if csi.attributes:
        volume["volumeAttributes"] = csi.attributes
    if csi.secret:
        volume["nodePublishSecretRef"] = {"name": csi.secret}
    return volume


def _ephemeral(resolution: Resolution, volume: Volume, name: str) -> Source:
    """Return a claim that is created for the pod and deleted with it."""
    storage_class = resolution.profile.spec.storage.classes.get(name)
    modes = storage_class.access_modes if storage_class else ()
    mode = next((source_field for source_field in _ALONE if source_field in modes), _ALONE[0])
    spec = {
        "accessModes": [mode],
        "storageClassName": name,
        "resources": {"requests": {"storage": str(volume.size)}},
    }
    return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
