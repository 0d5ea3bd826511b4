"""From the YAML table of published images to its typed form: read when a rule asks about one."""

import os
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.published.model import ArchImages, Published
from gpuspec.runtimes.recognise import is_image

DATA = os.path.join(os.path.dirname(__file__), "data")
_HUB = ("docker.io/library/", "docker.io/", "library/")


def is_of_root(image: str) -> bool:
    """Return whether the user of a published image is known to be root."""
    name = _repository(image)
    plain = next((name.removeprefix(one) for one in _HUB if name.startswith(one)), name)
    return any(
        plain in root.official or is_image(image, root.images) for root in _published().roots
    )


def build_of(image: str) -> ArchImages | None:
    """Return what is known of the one CPU architecture that a published image holds; a digest
    without a tag does not tell which of its builds it is."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    for build in _published().builds:
        if tag and is_image(image, build.images):
            suits = any(fnmatchcase(tag, wanted) for wanted in build.tags)
            other = any(fnmatchcase(tag, unwanted) for unwanted in build.other_tags)
            return build if suits and not other else None
    return None


def _repository(image: str) -> str:
    folder, slash, last = image.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


@cache
def _published() -> Published:
    told = table(DATA, "published")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), Published)
