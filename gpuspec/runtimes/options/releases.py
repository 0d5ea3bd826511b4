"""Releases of a program that an image may contain."""

from __future__ import annotations

import re

import msgspec

from gpuspec.numbers import read_version, read_whole
from gpuspec.runtimes.options.model import CommandProgram, Option
from gpuspec.runtimes.recognise import is_image, version, version_of

# A tag says so of what is between two releases.
_BETWEEN = re.compile(r"rc|dev(?!el)|post|nightly|alpha|beta")
_LATEST = re.compile(r"^[^@]*(?::latest|/[^/:@]+)$")
_BUILD = re.compile(r"(?:^|[-_])b([0-9]{3,6})(?![0-9])")
_SHORT = re.compile(r"v?[0-9]+\.[0-9]+(?![.0-9])")


class Releases(msgspec.Struct, frozen=True):
    """Releases of one program, as indexes of its list of releases."""

    first: int
    last: int
    known: bool
    """Whether the image determines the releases; otherwise it may be any release, covered or
    not."""
    name: str = ""
    """The release in messages."""
    newer: bool = False
    """Whether the release is newer than every covered one. Only `last` counts then, for options
    that it no longer has."""
    build: int | None = None
    """The build in the image's tag, if tags count builds."""
    moves: bool = False
    """Whether the tag moves with new releases: it may be any of these, and later the last or a
    newer one."""
    guessed: bool = False
    """Whether nothing in the set of files determines the release. Options that the last release
    lacks are still reported."""
    told: bool = False
    """Whether an annotation states the release; the image may be a build of the user."""

    @property
    def doubtful(self) -> bool:
        """Whether the image may accept other options than the release."""
        return self.newer or self.moves or self.guessed or self.told


def releases_of(program: CommandProgram, image: str, release: str = "") -> Releases | None:
    """Return the releases that an image may contain. None if it contains an older release than the
    covered ones.

    `release` is the one from another source, for an image whose tag has none.
    """
    if program.builds:
        return _releases_of_build(program, image)
    releases = _by_tag(program, image, release)
    if releases is None or program.wraps is None:
        return releases
    # Which release of the other program an image really holds, its own release does not say for sure.
    return msgspec.structs.replace(releases, told=True)


def _by_tag(program: CommandProgram, image: str, release: str) -> Releases | None:
    image_version = version(image) if is_image(image, program.images) else None
    if image_version is None:
        stated = version_of(release)
        if stated is None or version(image) is not None:
            return _carried(program, image)
        by_word = releases_of_tag(program, stated)
        return None if by_word is None else msgspec.structs.replace(by_word, told=True)
    tag = image.partition("@")[0].rpartition(":")[2]
    if _SHORT.match(tag):
        return _all_of(program, image_version)
    return releases_of_tag(program, image_version, _BETWEEN.search(tag) is not None)


def _releases_of_build(program: CommandProgram, image: str) -> Releases | None:
    """Return the releases around the build in an image's tag; all releases if the tag has no build."""
    last = len(program.releases) - 1
    tag = image.partition("@")[0].rpartition(":")[2]
    match = _BUILD.search(tag) if is_image(image, program.images) else None
    build = None if match is None else read_whole(match[1])
    if build is None:
        return Releases(0, last, known=False)
    below = [at for at, (_, latest) in enumerate(program.builds) if latest <= build]
    above = [at for at, (earliest, _) in enumerate(program.builds) if earliest >= build]
    if not below and above == [*range(last + 1)]:
        return None
    # Options that came and went between two releases are in no row: so far apart, nothing is sure.
    return Releases(
        first=below[-1] if below else 0,
        last=above[0] if above else last,
        known=False,
        name=f"b{build}",
        newer=len(below) == last + 1,
        build=build,
    )


def _carried(program: CommandProgram, image: str) -> Releases:
    """Return the releases that an image with tags of its own may contain."""
    last = len(program.releases) - 1
    carrier_version = read_version(image.partition("@")[0].rpartition(":")[2])
    for carrier in program.carriers:
        if (
            carrier_version
            and is_image(image, carrier.images)
            and carrier_version >= read_version(carrier.since)
        ):
            first = program.releases.index(carrier.least)
            return Releases(first, last, known=False, name=f"{carrier.least} or later")
    if is_image(image, program.images) and _LATEST.search(image):
        return Releases(0, last, known=False, name=program.releases[-1], moves=True)
    return Releases(0, last, known=False)


def _all_of(program: CommandProgram, number: tuple[int, int, int]) -> Releases | None:
    """Return the releases that a tag such as `1.9` can point to."""
    some = [
        at for at, release in enumerate(program.releases) if read_version(release)[:2] == number[:2]
    ]
    if not some:
        return releases_of_tag(program, number, between=True)
    return Releases(some[0], some[-1], known=True, name=f"{number[0]}.{number[1]}")


def releases_of_tag(
    program: CommandProgram, version: tuple[int, int, int], between: bool = False
) -> Releases | None:
    """Return the release of a version, or its neighbours if the version is not covered."""
    name = ".".join(map(str, version))
    numbers = [(*read_version(release), 0, 0)[:3] for release in program.releases]
    if version in numbers and not between:
        at = numbers.index(version)
        return Releases(at, at, known=True, name=name)
    below = [at for at, number in enumerate(numbers) if number <= version]
    above = [at for at, number in enumerate(numbers) if number > version]
    if not below:
        return None
    if not above:
        return Releases(below[-1], below[-1], known=True, name=name, newer=True)
    first = below[-1] - 1 if between and numbers[below[-1]] == version else below[-1]
    return Releases(max(first, 0), above[0], known=True, name=name)


def holds(program: CommandProgram, option: Option, releases: Releases) -> bool:
    """Return whether one of the releases has this row."""
    if releases.build is not None and option.by_build:
        earliest, latest = option.first_build or 0, option.last_build
        return earliest <= releases.build and (latest is None or releases.build <= latest)
    first = 0 if option.since is None else program.releases.index(option.since)
    until = option.until
    last = len(program.releases) - 1 if until is None else program.releases.index(until)
    return first <= releases.last and last >= releases.first
