"""The CUDA version of an image, and the driver that it needs."""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec import Struct

from gpuspec.manifests.tables import table
from gpuspec.numbers import read_version
from gpuspec.products.load import DATA


class CudaBuild(Struct, frozen=True):
    """The major version of CUDA that an image is built with, and the oldest driver for it."""

    cuda: str
    driver: str


class _Image(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    repository: str = ""
    tag: str = ""
    since: str = ""
    cuda: str = ""


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sources: dict[str, str]
    drivers: dict[str, str]
    images: tuple[_Image, ...]


def build_of(image: str) -> CudaBuild | None:
    """Return the CUDA version of an image, by its repository and tag; None if they do not tell."""
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    repository = f"/{path}{slash}{last}"
    cuda_table = _table()
    for row in cuda_table.images:
        if not tag or not repository.endswith(f"/{row.repository}" if row.repository else ""):
            continue
        major = _by_tag(row, tag) if row.tag else _by_release(row, tag)
        if major in cuda_table.drivers:
            return CudaBuild(major, cuda_table.drivers[major])
    return None


def is_older(driver: str, least: str) -> bool:
    """Return whether a driver is older than another. A branch, such as `580`, means all of its
    releases.
    """
    version, other_version = read_version(driver), read_version(least)
    return bool(version) and version < other_version[: len(version)]


def _by_tag(row: _Image, tag: str) -> str:
    match = re.search(row.tag, tag)
    return match[1] if match else ""


def _by_release(row: _Image, tag: str) -> str:
    release = read_version(tag.removeprefix("v"))
    return row.cuda if len(release) > 1 and release >= read_version(row.since) else ""


@cache
def _table() -> _Table:
    return msgspec.convert(table(DATA, "cuda"), _Table)
