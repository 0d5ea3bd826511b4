"""Training that nothing is left of when its node goes."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.interruption import spot_of, trains, uses_store
from gpuspec.lint.analysis.security.users import keeps_data, mount_of, mounted
from gpuspec.lint.analysis.serving.written_folders import WrittenFolder, is_carried, written_folders
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU908",
    "no-checkpoint-volume",
    "warning",
    "Training on spot nodes has no checkpoint volume",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield training on spot nodes without a persistent volume or a named store."""
    if pod.life != "finite" or not is_whole(pod):
        return
    spot = spot_of(pod, context)
    if spot is None:
        return
    for gpu_container in pod.gpu_containers:
        if (
            not trains(pod, gpu_container)
            or uses_store(gpu_container)
            or gpu_container.value.get("envFrom")
        ):
            continue
        passing = _passing(pod, gpu_container)
        if keeps_data(pod, gpu_container) and (passing is None or passing.use != "checkpoint"):
            continue
        why = (
            "the container has no persistent volume to write to"
            if passing is None
            else (
                f"`{passing.name}` is `{passing.folder}`, an `emptyDir` that is deleted with the "
                "pod"
            )
        )
        yield RawFinding(
            passing.path if passing else spot.path or gpu_container.path("volumeMounts"),
            f"{why}, and the pod's spot node can be reclaimed with {spot.notice} seconds' notice: "
            "training restarts from step 0",
            note=(
                "mount a claim, save checkpoints on it, and resume from the last checkpoint"
                f"{spot.reason}"
            ),
            related=spot.related(pod) if passing else (),
            confidence="likely",
        )
        return


def _passing(pod: Pod, container: PodContainer) -> WrittenFolder | None:
    """Return a folder of checkpoints, or else of results, on an `emptyDir` from which nothing
    copies it."""
    if is_carried(container) or len(pod.containers) > 1:
        return None
    folders = [
        written_folder
        for written_folder in written_folders(container)
        if _is_passing(pod, container, written_folder)
    ]
    return min(folders, key=lambda folder: folder.use != "checkpoint", default=None)


def _is_passing(pod: Pod, container: PodContainer, written_folder: WrittenFolder) -> bool:
    mount = None if written_folder.use == "cache" else mount_of(container, written_folder.folder)
    return mount is not None and "emptyDir" in (mounted(pod, container, mount) or {})
