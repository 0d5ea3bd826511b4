"""Checkpoints or results of training in the container's own file system."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.interruption import trains, uses_store
from gpuspec.lint.analysis.security.users import lasting_mounts, mount_of
from gpuspec.lint.analysis.serving.written_folders import is_carried, written_folders
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU777",
    "written-to-container",
    "warning",
    "Training writes its checkpoints or results to no volume",
    gives_way=("GPU774",),
)
_PASSING = ("/tmp/", "/var/tmp/", "/dev/shm/")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield training with a persistent volume that writes its checkpoints or results elsewhere."""
    if not is_whole(pod):
        return
    for gpu_container in pod.gpu_containers:
        if not trains(pod, gpu_container) or not lasting_mounts(pod, gpu_container):
            continue
        if uses_store(gpu_container) or is_carried(gpu_container):
            continue
        for written_folder in written_folders(gpu_container):
            inside = written_folder.folder.rstrip("/") + "/"
            passing = inside.startswith(_PASSING)
            if (
                written_folder.use == "cache"
                or passing
                or mount_of(gpu_container, written_folder.folder) is not None
            ):
                continue
            if any(mount.startswith(inside) for mount in gpu_container.mounts):
                continue
            lost = (
                "a restart begins at step 0"
                if written_folder.use == "checkpoint"
                else "the result is lost"
            )
            yield RawFinding(
                written_folder.path,
                f"`{written_folder.name}` is `{written_folder.folder}`, where no volume is "
                f"mounted: the files are deleted with the container, and {lost}",
                note=(
                    f"mount a claim at `{written_folder.folder}`, or write to a folder on a mounted "
                    "claim"
                ),
                confidence="likely",
            )
