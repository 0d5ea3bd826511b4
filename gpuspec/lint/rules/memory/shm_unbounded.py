"""A volume in memory without a size limit."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.shm import SHM, enough, memory_limit, memory_volumes
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU903",
    "memory-volume-unbounded",
    "warning",
    "A memory-backed volume has no size limit",
    fix="unsafe",
)

_NOTE = "set `sizeLimit` to the most that the files need"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield volumes in memory of pods with GPUs."""
    for name, index, volume in memory_volumes(pod):
        if volume.get("sizeLimit") is not None:
            continue
        users = [
            (container, mount)
            for container in pod.every
            for mount, (_, entry) in container.mounts.items()
            if entry.get("name") == name
        ]
        if not users:
            continue
        path = pod.path("volumes", index, "emptyDir", "sizeLimit")
        container, mount = next((user for user in users if user[1] == SHM), users[0])
        size = str(enough(container, max(container.gpus, 1))[0])
        limit = memory_limit(pod)
        if limit is None and any("memory" not in container.limits for container, _ in users):
            yield RawFinding(
                path,
                f"the memory-backed volume at `{mount}` has no `sizeLimit`, and the containers "
                "have no memory limit: files in the volume can fill the node, and the kubelet "
                "then evicts GPU pods",
                note=None if mount == SHM else _NOTE,
                fix=set_field(path, size) if mount == SHM else None,
                # That a container names no memory at all is said by itself, and once it does name
                # some, its limit bounds the volume too.
                severity="info" if any(_names_none(container) for container, _ in users) else None,
            )
        else:
            bound = (
                f"the pod's memory limit of {limit}"
                if limit is not None
                else f"the memory limit of `{container.name}`"
            )
            yield RawFinding(
                path,
                f"the memory-backed volume at `{mount}` has no `sizeLimit`, and its files count "
                f"against {bound}: "
                "if they fill it, the container is killed with exit code 137",
                note=None if mount == SHM else _NOTE,
                fix=set_field(path, size) if mount == SHM else None,
                severity="info",
            )


def _names_none(container: PodContainer) -> bool:
    """Return whether a container with a GPU names no memory."""
    return bool(container.gpus) and "memory" not in {*container.limits, *container.requests}
