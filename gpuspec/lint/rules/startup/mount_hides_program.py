"""A volume over the folder that holds the program of an image."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.security.users import mounted
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU838",
    "mount-hides-program",
    "error",
    "A volume mount hides the image's program",
)
# Folders of every image, in which no volume has what the programs there need.
_SYSTEM = ("/bin", "/lib", "/lib64", "/sbin", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin")
# What holds nothing that an image has, and nothing that somebody put there for it.
_EMPTY = {"emptyDir", "configMap", "secret", "projected", "downwardAPI"}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield mounts over folders that images are known to need. What an init container may fill is
    passed over."""
    filled = {
        text(entry.get("name"))
        for container in pod.every
        if container.stage == "init"
        for _, entry in container.mounts.values()
    }
    for container in pod.every:
        server = server_of(container)
        folders = () if server is None else runtimes.folders(server.name, container.image)
        for mount, (index, entry) in container.mounts.items():
            volume = mounted(pod, container, mount)
            if volume is None or entry.get("subPath") or entry.get("subPathExpr"):
                continue
            empty = not _EMPTY.isdisjoint(volume)
            hidden = next((folder for folder in folders if _is_over(mount, folder)), None)
            if text(entry.get("name")) in filled or (
                hidden is None and not (empty and mount in _SYSTEM)
            ):
                continue
            who = f"the image of {server.title}" if server and hidden else "the image"
            yield RawFinding(
                container.path("volumeMounts", index, "mountPath"),
                (
                    f"volume `{entry.get('name')}` at `{mount}` hides the files of {who} "
                    f"there{_program(hidden)}"
                ),
                note=_note(container, hidden),
                severity=None if empty else "warning",
                confidence="certain" if empty else "likely",
            )


def _is_over(mount: str, folder: str) -> bool:
    """Return whether a volume at `mount` takes the place of a folder."""
    return mount == folder or folder.startswith(f"{mount.rstrip('/')}/")


def _program(hidden: str | None) -> str:
    if hidden is None:
        return ", including its programs, and the container never starts"
    return ", including its program, and the container never starts"


def _note(container: PodContainer, hidden: str | None) -> str:
    if hidden is None:
        return "mount the volume elsewhere, or a single file of it with `subPath`"
    return f"mount the volume next to `{hidden}`, or in a subfolder that the program fills itself"
