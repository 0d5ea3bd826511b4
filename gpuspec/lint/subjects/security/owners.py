"""What a container that is not root is given in vain: a capability, a folder of the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.subjects.security.users import is_non_root
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import Container
    from gpuspec.objects.objects import Pod

_LOCK = ("IPC_LOCK", "CAP_IPC_LOCK")
_FOLDERS = ("", "Directory", "DirectoryOrCreate")
# Anyone may write there, or nobody is meant to.
_OTHER = ("/dev/", "/tmp/", "/var/tmp/", "/etc/", "/proc/", "/sys/", "/run/", "/var/run/", "/usr/")


class Folder(msgspec.Struct, frozen=True):
    """A folder of the node that belongs to root, mounted for somebody else to write to."""

    mount: str
    folder: str
    made: bool
    """The kubelet makes it."""
    path: Path


def inert_locks(pod: Pod) -> Iterator[tuple[Container, Path]]:
    """Containers that add `IPC_LOCK` and are sure not to be root, and where they say so."""
    for one in pod.every:
        added = items(mapping(one.security.get("capabilities")).get("add"))
        index = next((at for at, name in enumerate(added) if name in _LOCK), None)
        if index is not None and is_non_root(pod, one):
            yield one, one.path("securityContext", "capabilities", "add", index)


def roots_folders(pod: Pod) -> Iterator[tuple[Container, Folder]]:
    """Containers that are not root, and folders of the node that nobody hands over to them."""
    if not any("hostPath" in volume for _, volume in pod.volumes.values()):
        return
    for one in pod.containers:
        if not is_non_root(pod, one):
            continue
        for mount, (_, entry) in one.mounts.items():
            name = entry.get("name")
            index, volume = pod.volumes.get(name, (0, {})) if isinstance(name, str) else (0, {})
            host = mapping(volume.get("hostPath"))
            folder = text(host.get("path"))
            kind = host.get("type") or ""
            if not folder or kind not in _FOLDERS or entry.get("readOnly") is True:
                continue
            if f"{folder}/".startswith(_OTHER) or any(_hands_over(pod, x, name) for x in pod.every):
                continue
            path = pod.path("volumes", index, "hostPath")
            yield one, Folder(mount, folder, kind == "DirectoryOrCreate", path)


def _hands_over(pod: Pod, one: Container, name: object) -> bool:
    """Whether an init container, as root, may change who owns a volume."""
    mounts = any(entry.get("name") == name for _, entry in one.mounts.values())
    return one.stage == "init" and mounts and not is_non_root(pod, one)
