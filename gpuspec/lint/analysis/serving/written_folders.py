"""Folders that a program is configured to write, and read-only mounts there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.lint.analysis.security.users import READ_ONLY, mount_of, mounted
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

Use = Literal["cache", "output", "checkpoint"]

_OPTIONS: dict[Use, tuple[str, ...]] = {
    "cache": ("--cache-dir", "--cache-path"),
    "output": (
        *("--output-dir", "--output-path", "--output-folder", "--out-dir", "--results-dir"),
        *("--save-dir", "--save-path", "--log-dir", "--logging-dir", "--tensorboard-dir"),
    ),
    "checkpoint": ("--checkpoint-dir", "--checkpoint-path", "--checkpoints-dir", "--ckpt-dir"),
}
_FOLDER = r"(?:DIR|DIRECTORY|FOLDER|PATH)"
_VARIABLES: dict[Use, re.Pattern[str]] = {
    "cache": re.compile(
        rf"(?:\w+_)?CACHE(?:_(?:{_FOLDER}|HOME|ROOT))?|HF_HOME|TORCH_HOME|MPLCONFIGDIR|TMPDIR"
    ),
    "output": re.compile(rf"(?:\w+_)?(?:OUTPUT|RESULTS?)_{_FOLDER}|WANDB_DIR"),
    "checkpoint": re.compile(rf"(?:\w+_)?(?:CHECKPOINTS?|CKPT)_{_FOLDER}"),
}
_OPEN = ("$", "{{")
# What takes files elsewhere before the container ends.
_CARRIERS = ("push", "upload", "rsync", "rclone", "gsutil", "azcopy", "scp", "cp", "mv")
_SOURCES = {
    "configMap": "a ConfigMap",
    "secret": "a Secret",
    "projected": "a projected volume",
    "downwardAPI": "the downward API",
    "image": "an image",
}


class WrittenFolder(msgspec.Struct, frozen=True):
    """One folder, and its setting."""

    use: Use
    name: str
    """The option or the variable."""
    folder: str
    path: Path


class Barrier(msgspec.Struct, frozen=True):
    """Why a mount is not writable."""

    words: str
    path: Path
    always: bool
    """Whether only settings can be there, which are read-only whatever the mount states."""
    is_root: bool = False
    """Whether no mount is there, and the root file system is read-only."""


def written_folders(container: PodContainer) -> Iterator[WrittenFolder]:
    """Yield the folders in options and variables; those from a template or a shell are unknown."""
    for use, options in _OPTIONS.items():
        for option in options:
            flag = container.words.flag(option)
            if flag is not None and _is_known(flag.value):
                yield WrittenFolder(use, flag.name, flag.value or "", flag.path)
    for name in container.env:
        value = container.env_value(name)
        for use, pattern in _VARIABLES.items():
            if pattern.fullmatch(name) and _is_known(value):
                yield WrittenFolder(use, name, value or "", (*container.env_path(name), "value"))


def is_carried(container: PodContainer) -> bool:
    """Return whether a word of the command line may move the files elsewhere."""
    return any(
        word.text.rpartition("/")[2] == carrier or (len(carrier) > 3 and carrier in word.text)
        for word in container.words
        for carrier in _CARRIERS
    )


def barrier(pod: Pod, container: PodContainer, folder: str) -> Barrier | None:
    """Return why a folder is not writable; None if it is, or if it contains a mount."""
    mount = mount_of(container, folder)
    inside = folder.rstrip("/") + "/"
    if any(mount_path.startswith(inside) for mount_path in container.mounts):
        return None
    if mount is None:
        if container.security.get("readOnlyRootFilesystem") is not True or _is_device(inside):
            return None
        path = container.path("securityContext", "readOnlyRootFilesystem")
        return Barrier("the root file system there is read-only", path, False, is_root=True)
    index, entry = container.mounts[mount]
    volume = mounted(pod, container, mount) or {}
    source = next(
        (
            source_kind
            for source_kind in _SOURCES
            if source_kind in READ_ONLY and source_kind in volume
        ),
        None,
    )
    at = container.path("volumeMounts", index)
    if source is not None:
        words = f"{_SOURCES[source]} is mounted at `{mount}`"
        # An image may bring a cache along that is filled.
        return Barrier(words, (*at, "mountPath"), source != "image")
    if entry.get("readOnly") is True:
        return Barrier(f"the mount at `{mount}` is read-only", (*at, "readOnly"), False)
    if any(mapping(volume.get(source_kind)).get("readOnly") is True for source_kind in volume):
        return Barrier(f"the volume at `{mount}` is read-only", (*at, "name"), False)
    return None


def _is_device(folder: str) -> bool:
    """Return whether the container runtime mounts a writable file system there."""
    return folder.startswith(("/dev/", "/proc/"))


def _is_known(value: str | None) -> bool:
    return value is not None and value.startswith("/") and not any(sign in value for sign in _OPEN)
