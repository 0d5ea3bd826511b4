"""Settings without effect for a container that is not root: a capability, a folder of the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.security.users import is_non_root
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

LOCK = "IPC_LOCK"
# What the kernel asks for in the effective set alone. Others (`SYS_NICE`, `SYS_PTRACE`) open system calls in the
# runtime's seccomp profile to any user; low ports (`NET_BIND_SERVICE`) are open without one.
_EFFECTIVE = (
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "MKNOD",
    "NET_ADMIN",
    "NET_RAW",
    "SETGID",
    "SETUID",
    "SYS_RESOURCE",
)
_FOLDERS = ("", "Directory", "DirectoryOrCreate")
# Anyone may write there, or nobody is meant to.
_OTHER = ("/dev/", "/tmp/", "/var/tmp/", "/etc/", "/proc/", "/sys/", "/run/", "/var/run/", "/usr/")


class RootFolder(msgspec.Struct, frozen=True):
    """A folder of the node that belongs to root, and that another user should write."""

    mount: str
    folder: str
    made: bool
    """Whether the kubelet creates it."""
    path: Path


def inert_capabilities(pod: Pod) -> Iterator[tuple[PodContainer, dict[str, Path]]]:
    """Yield containers that are certainly not root, and capabilities without effect, with their
    paths."""
    for container in pod.every:
        added = items(mapping(container.security.get("capabilities")).get("add"))
        if not added or not is_non_root(pod, container):
            continue
        # With new privileges `sudo`, or a file's own capabilities, may make use of others.
        vain = (LOCK,) if may_escalate(container) else (LOCK, *_EFFECTIVE)
        path = container.path("securityContext", "capabilities", "add")
        capabilities = {
            name: (*path, index)
            for index, name in enumerate(added)
            if text(name).removeprefix("CAP_") in vain
        }
        if capabilities:
            yield container, capabilities


def may_escalate(container: PodContainer) -> bool:
    """Return whether its processes may gain privileges."""
    return container.security.get("allowPrivilegeEscalation") is not False


def roots_folders(pod: Pod) -> Iterator[tuple[PodContainer, RootFolder]]:
    """Yield containers that are not root, and folders of the node whose owner nothing changes."""
    if not any("hostPath" in volume for _, volume in pod.volumes.values()):
        return
    for container in pod.containers:
        if not is_non_root(pod, container):
            continue
        for mount, (_, entry) in container.mounts.items():
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
            yield container, RootFolder(mount, folder, kind == "DirectoryOrCreate", path)


def _hands_over(pod: Pod, container: PodContainer, name: object) -> bool:
    """Return whether an init container, as root, may change the owner of a volume."""
    mounts = any(entry.get("name") == name for _, entry in container.mounts.values())
    return container.stage == "init" and mounts and not is_non_root(pod, container)
