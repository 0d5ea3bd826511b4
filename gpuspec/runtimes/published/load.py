"""Load the table of published images when a rule needs it."""

import os
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.published.model import ArchImages, PublishedTable
from gpuspec.runtimes.recognise import is_image

DATA = os.path.join(os.path.dirname(__file__), "data")
_HUB = ("docker.io/library/", "docker.io/", "library/")


def is_of_root(image: str) -> bool:
    """Return whether a published image is known to run as root."""
    name = _repository(image)
    plain = next((name.removeprefix(prefix) for prefix in _HUB if name.startswith(prefix)), name)
    return any(
        plain in root.official or is_image(image, root.images) for root in _published().roots
    )


def build_of(image: str) -> ArchImages | None:
    """Return the facts about a published image with one CPU architecture. None for a digest without
    a tag, which does not identify the build."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    for build in _published().builds:
        if tag and is_image(image, build.images):
            suits = any(fnmatchcase(tag, pattern) for pattern in build.tags)
            is_other = any(fnmatchcase(tag, unwanted) for unwanted in build.other_tags)
            return build if suits and not is_other else None
    return None


def _repository(image: str) -> str:
    folder, slash, last = image.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


@cache
def _published() -> PublishedTable:
    tables = table(DATA, "published")
    facts = {key: value for key, value in tables.items() if key != "sources"}
    return msgspec.convert(named(facts, tables["sources"]), PublishedTable)
