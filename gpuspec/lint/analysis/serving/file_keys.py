"""Errors in an option file whose keys are fields of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.reading.mounted import MountedFile, mounted
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.manifests.values import at, text
from gpuspec.numbers import read_version
from gpuspec.runtimes import options
from gpuspec.runtimes.options.file_keys import File, files
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.model import Confidence
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes.options import Releases
    from gpuspec.settings.severity import Severity


class FileKeyError(msgspec.Struct, frozen=True):
    """A key, or a value, that the program rejects."""

    source: MountedFile
    path: Path
    """The path of the option that names the file."""
    key: str
    message: str
    note: str | None
    severity: Severity
    confidence: Confidence


def wrong_keys(pod: Pod, container: PodContainer, collection: Collection) -> Iterator[FileKeyError]:
    """Yield the keys in a container's file that its program rejects."""
    for file in files():
        if not _is_of(file, container):
            continue
        flag = container.words.flag(*file.options)
        source = mounted(pod, container, flag.value, collection) if flag and flag.value else None
        if flag is None or source is None:
            continue
        program = options.get(file.program)
        releases = options.releases_of(program, container.image)
        if releases is None:
            continue
        yield from _gone(file, source, flag.path, releases, container)
        yield from _unknown(file, source, flag.path, releases)
        yield from _capitals(file, source, flag.path)


def _is_of(file: File, container: PodContainer) -> bool:
    server = server_of(container)
    is_server = server is not None and server.name == file.program
    return is_server or container.words.has(*file.workers) is not None


def _gone(
    file: File, source: MountedFile, path: Path, releases: Releases, container: PodContainer
) -> Iterator[FileKeyError]:
    program = options.get(file.program)
    for row in file.gone:
        if not _is_there(source, row.key):
            continue
        since = program.releases.index(row.since)
        sure = is_image(container.image, file.images) or releases.first >= since
        if releases.known and not sure:
            continue
        yield FileKeyError(
            source,
            path,
            row.key,
            f"{program.title} no longer accepts this key since {row.since}, and exits at startup",
            f"use {row.instead} instead",
            "warning" if sure else "info",
            "likely" if sure else "possible",
        )


def _unknown(
    file: File, source: MountedFile, path: Path, releases: Releases
) -> Iterator[FileKeyError]:
    from gpuspec.escaping.meant import did_you_mean

    first, last = read_version(file.first), read_version(file.last)
    program = options.get(file.program)
    version = read_version(program.releases[releases.last])
    if not releases.known or releases.newer or not first <= version <= last:
        return
    gone = {row.key for row in file.gone}
    for key in source.settings:
        note = None if not isinstance(key, str) else did_you_mean(key, file.known, likeness=0.8)
        if note is None or key in file.known or key in gone:
            continue
        message = f"{program.title} does not know this key, and exits at startup"
        yield FileKeyError(source, path, key, message, note, "warning", "likely")


def _capitals(file: File, source: MountedFile, path: Path) -> Iterator[FileKeyError]:
    title = options.get(file.program).title
    for row in file.capitals:
        value = text(at(source.settings, tuple(row.key.split("."))))
        if value not in row.words and value.upper() in row.words:
            message = f"{title} accepts `{value.upper()}`, not `{value}`: it exits at startup"
            yield FileKeyError(source, path, row.key, message, None, "warning", "likely")


def _is_there(source: MountedFile, key: str) -> bool:
    *inside, last = key.split(".")
    holder = at(source.settings, tuple(inside)) if inside else source.settings
    return isinstance(holder, dict) and last in holder
