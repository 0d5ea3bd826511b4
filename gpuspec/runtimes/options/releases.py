"""Which releases of a program an image may hold."""

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
    """Releases of one program, as places in its list of them."""

    first: int
    last: int
    known: bool
    """An image says so; else it may be any release, and one that is not covered."""
    name: str = ""
    """As a person calls it."""
    newer: bool = False
    """It is newer than all that are covered: only `last` is looked at, for what was gone by then."""
    build: int | None = None
    """Where the image's tag counts builds, which one it is."""
    moves: bool = False
    """The image's tag moves on with releases: it may be any of them, and soon is the last or a newer one."""
    guessed: bool = False
    """Nothing in the set says which; what the last release has no longer is told all the same."""
    told: bool = False
    """An annotation says so, and the image may be somebody's own build of it."""

    @property
    def doubtful(self) -> bool:
        """Whether the image may differ from the release in what it takes."""
        return self.newer or self.moves or self.guessed or self.told


def releases_of(program: CommandProgram, image: str, said: str = "") -> Releases | None:
    """Return the releases that an image may hold; None where it holds an older one than is covered.

    `said` is what something else calls the release, where the image's tag says nothing.
    """
    if program.builds:
        return _releases_of_build(program, image)
    releases = _by_tag(program, image, said)
    if releases is None or program.wraps is None:
        return releases
    # Which release of the other program an image really holds, its own release does not say for sure.
    return msgspec.structs.replace(releases, told=True)


def _by_tag(program: CommandProgram, image: str, said: str) -> Releases | None:
    found = version(image) if is_image(image, program.images) else None
    if found is None:
        told = version_of(said)
        if told is None or version(image) is not None:
            return _carried(program, image)
        by_word = releases_of_tag(program, told)
        return None if by_word is None else msgspec.structs.replace(by_word, told=True)
    tag = image.partition("@")[0].rpartition(":")[2]
    if _SHORT.match(tag):
        return _all_of(program, found)
    return releases_of_tag(program, found, _BETWEEN.search(tag) is not None)


def _releases_of_build(program: CommandProgram, image: str) -> Releases | None:
    """Return the releases around the build that an image's tag names; any of them where it names
    none."""
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
    """Return the releases that an image may hold whose tag is not one of them."""
    last = len(program.releases) - 1
    own = read_version(image.partition("@")[0].rpartition(":")[2])
    for carrier in program.carriers:
        if own and is_image(image, carrier.images) and own >= read_version(carrier.since):
            first = program.releases.index(carrier.least)
            return Releases(first, last, known=False, name=f"{carrier.least} or later")
    if is_image(image, program.images) and _LATEST.search(image):
        return Releases(0, last, known=False, name=program.releases[-1], moves=True)
    return Releases(0, last, known=False)


def _all_of(program: CommandProgram, found: tuple[int, int, int]) -> Releases | None:
    """Return the releases that a tag like `1.9` moves along."""
    some = [
        at for at, release in enumerate(program.releases) if read_version(release)[:2] == found[:2]
    ]
    if not some:
        return releases_of_tag(program, found, between=True)
    return Releases(some[0], some[-1], known=True, name=f"{found[0]}.{found[1]}")


def releases_of_tag(
    program: CommandProgram, found: tuple[int, int, int], between: bool = False
) -> Releases | None:
    """Return the releases of a version: itself, or its neighbours where it is not among them."""
    name = ".".join(map(str, found))
    numbers = [(*read_version(release), 0, 0)[:3] for release in program.releases]
    if found in numbers and not between:
        at = numbers.index(found)
        return Releases(at, at, known=True, name=name)
    below = [at for at, number in enumerate(numbers) if number <= found]
    above = [at for at, number in enumerate(numbers) if number > found]
    if not below:
        return None
    if not above:
        return Releases(below[-1], below[-1], known=True, name=name, newer=True)
    first = below[-1] - 1 if between and numbers[below[-1]] == found else below[-1]
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
