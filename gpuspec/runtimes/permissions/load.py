"""From the YAML table of permissions to its typed form: read when a pod's account has roles."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.permissions.model import ApiProgram
from gpuspec.runtimes.recognise import is_image, version

DATA = os.path.join(os.path.dirname(__file__), "data")


def program_of(image: str) -> ApiProgram | None:
    """Return the program that an image carries, of those whose permissions are known."""
    return next((program for program in programs() if is_image(image, program.images)), None)


def release_of(image: str) -> tuple[int, int, int] | None:
    """Return the release that an image's tag names; None for a candidate too, which may be like the
    last."""
    tag = image.partition("@")[0].rpartition(":")[2]
    return None if "rc" in tag else version(image)


@cache
def programs() -> tuple[ApiProgram, ...]:
    """Return all of them."""
    told = table(DATA, "programs")
    return msgspec.convert(named(told["programs"], told["sources"]), tuple[ApiProgram, ...])
