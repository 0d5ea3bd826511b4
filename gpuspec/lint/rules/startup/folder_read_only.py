"""A folder that a program writes to, on a mount or a root file system that is read-only."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.hub import hub_folder, hub_model, is_offline
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.written_folders import (
    Barrier,
    WrittenFolder,
    barrier,
    written_folders,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU774",
    "folder-read-only",
    "error",
    "A program writes to a folder that is read-only",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check folders for caches and results in options and variables, and the hub's cache of a
    server that loads a model by its name."""
    if not is_whole(pod):
        return
    for container in pod.every:
        yield from _named(pod, container)
        yield from _hub(pod, container)


def _named(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield the folders that a program writes. A filled cache or checkpoint may be only for
    reading."""
    for written_folder in written_folders(container):
        folder_barrier = barrier(pod, container, written_folder.folder)
        if folder_barrier is None or not (
            folder_barrier.always or _is_written(written_folder, folder_barrier, container)
        ):
            continue
        yield RawFinding(
            folder_barrier.path if folder_barrier.is_root else written_folder.path,
            f"`{written_folder.name}` is `{written_folder.folder}`, but {folder_barrier.words}: the program's "
            "writes there fail",
            note=f"mount an emptyDir or a claim at `{written_folder.folder}`, or mount only single files with `subPath`"
            if folder_barrier.always
            else f"set `{written_folder.name}` to a folder of a writable volume, or mount one at `{written_folder.folder}`",
            severity=None if folder_barrier.always else "warning",
            confidence="certain" if folder_barrier.always else "likely",
            related=(RelatedPlace(pod.object.number, written_folder.path, "names the folder"),)
            if folder_barrier.is_root
            else (),
        )


def _is_written(
    written_folder: WrittenFolder, folder_barrier: Barrier, container: PodContainer
) -> bool:
    """Return whether the program certainly writes there, instead of reading a model that was put
    there."""
    if folder_barrier.is_root and written_folder.use == "cache":
        return not is_offline(container)
    return written_folder.use == "output"


def _hub(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    server = server_of(container) if container.stage == "main" else None
    model = None if server is None else hub_model(container, server)
    folder = None if server is None or model is None else hub_folder(container, server)
    folder_barrier = None if folder is None else barrier(pod, container, folder)
    if server is None or model is None or folder_barrier is None or folder_barrier.always:
        return
    yield RawFinding(
        folder_barrier.path,
        f"{server.title} downloads `{model.name}` from the hub to `{folder}`, but {folder_barrier.words}: "
        "the download fails as soon as a file is new or must be locked",
        note=(
            "mount a writable volume, or set `HF_HUB_OFFLINE` to `1` if the whole model is "
            "already there"
        ),
        severity="warning",
        confidence="likely",
    )
