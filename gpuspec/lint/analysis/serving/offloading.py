"""Offloading to host memory and disks in servers' settings."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.reading.mounted import mounted
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.manifests.values import at
from gpuspec.numbers import parse_whole, read_decimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.command_line import Flag
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Offload

_BYTES = {
    **{"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12},
    **{"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40},
}
_AMOUNT = re.compile(r"\s*([0-9.]+)\s*([a-z]*)\s*", re.ASCII | re.IGNORECASE)
_BUILD = re.compile(r"\bb([0-9]{3,6})\b", re.ASCII)


class OffloadedSize(msgspec.Struct, frozen=True):
    """The configured size of offloading."""

    words: str
    """The setting as written, in backquotes."""
    path: Path
    amount: str
    """The size in words."""
    size: int
    """In bytes."""


def offloads_of(
    pod: Pod, container: PodContainer, collection: Collection
) -> Iterator[tuple[Offload, OffloadedSize, str]]:
    """Yield each setting of a container that takes memory or a disk, its size, and the title of the
    program."""
    server = server_of(container)
    offloads = () if server is None else server.offloads
    title = "the program" if server is None else server.title
    paths: set[Path] = set()
    for offload in (*offloads, *runtimes.common().offloads):
        size = _size(pod, container, offload, collection)
        if size is not None and size.path not in paths:
            paths.add(size.path)
            yield offload, size, title


def _size(
    pod: Pod, container: PodContainer, offload: Offload, collection: Collection
) -> OffloadedSize | None:
    name, _, off = offload.unless.partition("=")
    if name and (container.env_value(name) or "").lower() == off:
        return None
    if offload.only and container.words.flag(offload.only) is None:
        return None
    if offload.files:
        return _in_file(pod, container, offload, collection)
    flag = container.words.flag(*offload.options) if offload.options else None
    if flag is not None:
        if offload.member:
            return _in_option(container, flag, offload)
        return _amount(f"`{flag.name} {flag.value}`", flag.path, flag.value, offload)
    if offload.environment and offload.environment in container.env:
        value = container.env_value(offload.environment)
        path = (*container.env_path(offload.environment), "value")
        return _amount(f"`{offload.environment}={value}`", path, value, offload)
    return _by_default(container, offload)


def _in_option(container: PodContainer, flag: Flag, offload: Offload) -> OffloadedSize | None:
    """Return the setting in an option's JSON, which may be in a line of a script."""
    item = at(container.value, flag.path[-2:])
    text = item if isinstance(item, str) else flag.value or ""
    start = text.find("{", max(text.find(flag.name), 0))
    if offload.like not in text or start < 0:
        return None
    try:
        content, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    size = at(content, tuple(offload.member.split(".")))
    key = offload.member.rpartition(".")[2]
    return _amount(f"`{key}: {size}`", flag.path, size, offload)


def _in_file(
    pod: Pod, container: PodContainer, offload: Offload, collection: Collection
) -> OffloadedSize | None:
    options = [name for name in offload.files if name.startswith("-")]
    flag = container.words.flag(*options) if options else None
    file, path = (flag.value, flag.path) if flag is not None else (None, ())
    for name in offload.files:
        if name in container.env:
            file = container.env_value(name)
            path = (*container.env_path(name), "value")
    source = mounted(pod, container, file, collection) if file else None
    if source is None:
        return None
    switch, _, off = offload.unless.partition("=")
    if switch and str(source.settings.get(switch)).lower() == off:
        return None
    size = at(source.settings, tuple(offload.member.split(".")))
    key = offload.member.rpartition(".")[2]
    return _amount(f"`{key}: {size}` of `{source.key}`", path, size, offload)


def _by_default(container: PodContainer, offload: Offload) -> OffloadedSize | None:
    """Return what is taken unless another size is set: builds of unknown age are new ones."""
    tag = container.image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    build = _BUILD.search(tag)
    old = build is not None and (parse_whole(build[1]) or 0) < offload.default_build
    if not offload.default or not tag or old or "envFrom" in container.value:
        return None
    words = f"`{offload.options[0]}`, unset,"
    return _amount(words, container.path("image"), offload.default, offload)


def _amount(words: str, path: Path, value: Any, offload: Offload) -> OffloadedSize | None:
    match = _AMOUNT.fullmatch(str(value)) if isinstance(value, int | float | str) else None
    number = read_decimal(match[1]) if match else None
    unit = match[2] if match and match[2] else offload.unit
    unit = f"{unit}B" if unit.upper() in ("K", "M", "G", "T") else unit
    if not number or unit.upper() not in _BYTES:
        return None
    size = math.floor(number * _BYTES[unit.upper()])
    amount = f"{number:g} {unit}" if unit != "B" else f"{size / 10**9:.3g} GB"
    return OffloadedSize(words, path, amount, size)
