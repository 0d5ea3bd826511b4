"""A folder or a file of a model that is neither in the server's image nor on a volume that has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import runtimes
from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import named_models
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU883",
    "model-not-mounted",
    "warning",
    "A server is given a local model, but no volume is mounted there",
    gives_way=("GPU822",),
)
_OPEN = ("$", "{", "*", "<", "`", " ")
_REPOSITORY = ("--model-repository", "--model-store")
_FETCHES = (
    "--model-url",
    "-mu",
    "--hf-repo",
    "-hf",
    "-hfr",
    "--hf-file",
    "-hff",
    "--docker-repo",
    "-dr",
)
"""Options with which llama.cpp downloads a model to the given file."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield published images of servers, which hold no model."""
    if pod.object.traits.completed:
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None or not _is_as_published(container, server.name):
            continue
        path, name = _local(container, server)
        if not name.startswith("/") or any(sign in name for sign in _OPEN):
            continue
        yield from _unfilled(pod, container, server, name)
        inside = name.rstrip("/") + "/"
        if mount_of(container, name) is not None or any(
            mount.startswith(inside) for mount in container.mounts
        ):
            continue
        folders = sorted(
            mount
            for mount in container.mounts
            if "emptyDir" not in (mounted(pod, container, mount) or {"emptyDir": None})
        )
        yield RawFinding(
            path,
            f"no volume is mounted at `{name}`, and the image of {server.title} contains no "
            "model: the server exits at startup",
            note=f"mount the volume with the model at `{name}`"
            + (
                f", or set the model to a path below {choice_of(folders)}, where a volume is mounted"
                if folders
                else ""
            ),
            confidence="likely",
        )


def _local(container: PodContainer, server: Runtime) -> tuple[Path, str]:
    """Return the model that a server is told, or its model repository, with the path of it."""
    repository = container.words.flag(*_REPOSITORY)
    if repository is not None:
        return repository.path, repository.value or ""
    return next(iter(named_models(container, server)), ((), ""))


def _unfilled(
    pod: Pod, container: PodContainer, server: Runtime, folder: str
) -> Iterator[RawFinding]:
    """Yield an `emptyDir` at a model's folder that no other container mounts, and so none fills."""
    mount = mount_of(container, folder)
    name = container.mounts[mount][1].get("name") if mount is not None else None
    if not isinstance(name, str) or "emptyDir" not in pod.volumes.get(name, (0, {}))[1]:
        return
    mounting = [
        mounter
        for mounter in pod.every
        if any(m.get("name") == name for _, m in mounter.mounts.values())
    ]
    if len(mounting) > 1 or not is_whole(pod) or at(container.value, ("lifecycle", "postStart")):
        return
    then = (
        "the server exits at startup"
        if container.words.flag("--model-control-mode") is None
        else "each new pod starts without models, and loses those that are uploaded"
    )
    yield RawFinding(
        pod.path("volumes", pod.volumes[name][0], "emptyDir"),
        f"no container fills the `emptyDir` at `{mount}`, from which {server.title} loads "
        f"`{folder}`: {then}",
        note="mount a volume with the model there, or fill the `emptyDir` in an init container",
        confidence="likely",
    )


def _is_as_published(container: PodContainer, server: str) -> bool:
    """Return whether the image is the server's own, and no script may put a model there first."""
    command = items(container.value.get("command"))
    first = str(command[0]).rpartition("/")[2] if command else ""
    if first in SHELLS or container.words.flag(*_FETCHES) is not None:
        return False
    return runtimes.is_image_of(server, container.image) and "envFrom" not in container.value
