"""Load the table of permissions when a pod's service account has roles."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.permissions.model import ApiProgram
from gpuspec.runtimes.recognise import is_image, version

DATA = os.path.join(os.path.dirname(__file__), "data")


def program_of(image: str) -> ApiProgram | None:
    """Return the program of an image, if its permissions are known."""
    return next((program for program in programs() if is_image(image, program.images)), None)


def release_of(image: str) -> tuple[int, int, int] | None:
    """Return the release in an image's tag. None for other tags and for a release candidate, which
    may be like the last release."""
    tag = image.partition("@")[0].rpartition(":")[2]
    return None if "rc" in tag else version(image)


@cache
def programs() -> tuple[ApiProgram, ...]:
    """Return all programs with known permissions."""
    tables = table(DATA, "programs")
    return msgspec.convert(named(tables["programs"], tables["sources"]), tuple[ApiProgram, ...])
