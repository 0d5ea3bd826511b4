"""The user of a container, and the folders that it can write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

# What is mounted read-only whatever the mount says.
READ_ONLY = {"configMap", "secret", "projected", "downwardAPI", "image"}
# What outlives a pod.
_LASTING = {
    "persistentVolumeClaim",
    "hostPath",
    "nfs",
    "csi",
    "image",
    "azureFile",
    "cephfs",
    "flexVolume",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "azureDisk",
    "glusterfs",
    "iscsi",
    "rbd",
}
# Folders of a node that hold no data of pods.
_OF_THE_NODE = ("/dev/", "/etc/", "/proc/", "/run/", "/sys/", "/usr/", "/var/run/", "/lib/")


def uid_of(pod: Pod, container: PodContainer) -> int | None:
    """Return the configured user; None if the image decides."""
    for security in (container.security, pod.security):
        user = whole(security.get("runAsUser"))
        if user is not None:
            return user
    return None


def gid_of(pod: Pod, container: PodContainer) -> int | None:
    """Return the configured group; None if the image decides."""
    for security in (container.security, pod.security):
        group = whole(security.get("runAsGroup"))
        if group is not None:
            return group
    return None


def demands_non_root(pod: Pod, container: PodContainer) -> bool:
    """Return whether `runAsNonRoot` is true for it."""
    non_root = container.security.get("runAsNonRoot", pod.security.get("runAsNonRoot"))
    return non_root is True


def is_non_root(pod: Pod, container: PodContainer) -> bool:
    """Return whether it certainly does not run as root."""
    uid = uid_of(pod, container)
    return uid != 0 if uid is not None else demands_non_root(pod, container)


def mount_of(container: PodContainer, folder: str) -> str | None:
    """Return the innermost mount with a folder."""
    prefix = folder.rstrip("/") + "/"
    mounts = [mount for mount in container.mounts if prefix.startswith(mount.rstrip("/") + "/")]
    return max(mounts, key=len, default=None)


def mounted(pod: Pod, container: PodContainer, mount: str) -> dict[str, Any] | None:
    """Return the volume of a mount; None for one from a claim template, or a missing one."""
    name = container.mounts[mount][1].get("name")
    volume = pod.volumes.get(name) if isinstance(name, str) else None
    return None if volume is None else volume[1]


def is_writable(pod: Pod, container: PodContainer, folder: str) -> bool:
    """Return whether a user other than root can write to a folder, as far as known."""
    mount = mount_of(container, folder)
    if mount is None:
        return container.security.get("readOnlyRootFilesystem") is not True and folder != "/"
    if container.mounts[mount][1].get("readOnly") is True:
        return False
    volume = mounted(pod, container, mount)
    if volume is None:
        return True
    if any(mapping(source).get("readOnly") is True for source in volume.values()):
        return False
    return READ_ONLY.isdisjoint(volume)


def keeps_data(pod: Pod, container: PodContainer) -> bool:
    """Return whether a mount persists and keeps what the container writes."""
    return bool(keeping_mounts(pod, container))


def keeping_mounts(pod: Pod, container: PodContainer) -> list[str]:
    """Return persistent mounts for written data; a read-only claim is not one."""
    return [
        lasting_mount
        for lasting_mount in lasting_mounts(pod, container)
        if is_writable(pod, container, lasting_mount)
    ]


def keeps_on_node(pod: Pod, collection: Collection) -> bool:
    """Return whether a mount with its data is on a disk of one node: a folder of the node, or a
    local volume."""
    for _, volume in pod.volumes.values():
        host = mapping(volume.get("hostPath")).get("path")
        if isinstance(host, str) and not f"{host}/".startswith(_OF_THE_NODE):
            return True
        claim = text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
        if claim and _is_local(claim, pod.object.namespace, collection):
            return True
    return False


def _is_local(claim: str, namespace: str, collection: Collection) -> bool:
    obj = collection.named("", "PersistentVolumeClaim", claim, namespace)
    name = "" if obj is None else text(obj.spec.get("volumeName"))
    volume = collection.named("", "PersistentVolume", name) if name else None
    return volume is not None and not {"local", "hostPath"}.isdisjoint(volume.spec)


def lasting_mounts(pod: Pod, container: PodContainer) -> list[str]:
    """Return mounts of persistent volumes that can hold its data."""
    mount_paths: list[str] = []
    for mount in container.mounts:
        volume = mounted(pod, container, mount)
        if mount == "/dev/shm":
            continue
        if volume is None:
            mount_paths.append(mount)
            continue
        host = mapping(volume.get("hostPath")).get("path")
        if isinstance(host, str) and f"{host}/".startswith(_OF_THE_NODE):
            continue
        if not _LASTING.isdisjoint(volume):
            mount_paths.append(mount)
    return mount_paths
