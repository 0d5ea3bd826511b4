"""Load the table of published images when a rule needs it."""

import os
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.published.model import (
    ArchImages,
    DashImages,
    MissingTag,
    PublishedTable,
)
from gpuspec.runtimes.recognise import is_image

DATA = os.path.join(os.path.dirname(__file__), "data")
_HUB = ("docker.io/library/", "docker.io/", "library/")


def is_of_root(image: str) -> bool:
    """Return whether a published image is known to run as root."""
    plain = _plain(image)
    return any(
        plain in root.official or is_image(image, root.images) for root in _published().roots
    )


def build_of(image: str) -> ArchImages | None:
    """Return the facts about a published image with one CPU architecture. None for a digest without
    a tag, which does not identify the build."""
    tag = _tag(image)
    for build in _published().builds:
        if tag and is_image(image, build.images):
            return build if _has_tag(tag, build) else None
    return None


def has_dash(image: str) -> bool:
    """Return whether the `/bin/sh` of a published image is known to be dash, not bash."""
    plain, tag = _plain(image), _tag(image)
    return any(
        (plain in shell.official or is_image(image, shell.images)) and _has_tag(tag, shell)
        for shell in _published().dash
    )


def missing_tag(image: str) -> MissingTag | None:
    """Return why a published repository does not have the tag of an image. None for a digest,
    which needs no tag, and for a mirror, which may have kept it."""
    if "@" in image:
        return None
    plain, tag = _plain(image), _tag(image) or "latest"
    for row in _published().missing:
        is_of = plain in row.images or (row.publisher and plain.startswith(f"{row.publisher}/"))
        if is_of and _has_tag(tag, row):
            return row
    return None


def _has_tag(tag: str, row: ArchImages | DashImages | MissingTag) -> bool:
    return any(fnmatchcase(tag, pattern) for pattern in row.tags) and not any(
        fnmatchcase(tag, unwanted) for unwanted in row.other_tags
    )


def _plain(image: str) -> str:
    """Return a repository without Docker Hub's own name."""
    name = _repository(image)
    return next((name.removeprefix(prefix) for prefix in _HUB if name.startswith(prefix)), name)


def _tag(image: str) -> str:
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def _repository(image: str) -> str:
    folder, slash, last = image.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


@cache
def _published() -> PublishedTable:
    tables = table(DATA, "published")
    facts = {key: value for key, value in tables.items() if key != "sources"}
    return msgspec.convert(named(facts, tables["sources"]), PublishedTable)
