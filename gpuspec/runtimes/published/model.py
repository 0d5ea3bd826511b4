"""The types of the table of published images."""

from msgspec import Struct

from gpuspec.runtimes.fact import Fact


class RootImages(Fact, frozen=True, kw_only=True):
    """Images whose user is root."""

    images: tuple[str, ...] = ()
    """Repositories: the last parts of their paths."""
    official: tuple[str, ...] = ()
    """Docker Hub's official images, without a publisher's name."""


class ArchImages(Fact, frozen=True, kw_only=True):
    """Images of one CPU architecture whose tags do not name it."""

    images: tuple[str, ...]
    tags: tuple[str, ...] = ("*",)
    other_tags: tuple[str, ...] = ()
    """Tags of builds for another architecture."""
    arch: str
    other: str
    """The image to use on hosts of another architecture, in words."""


class DashImages(Fact, frozen=True, kw_only=True):
    """Images whose `/bin/sh` is dash, the shell of Debian and Ubuntu, which lacks what bash adds."""

    images: tuple[str, ...] = ()
    """Repositories: the last parts of their paths."""
    official: tuple[str, ...] = ()
    """Docker Hub's official images, without a publisher's name."""
    tags: tuple[str, ...] = ("*",)
    other_tags: tuple[str, ...] = ()
    """Tags of builds on another distribution."""


class MissingTag(Fact, frozen=True, kw_only=True):
    """Tags that a publisher's repository does not have: removed ones, and names of another form."""

    images: tuple[str, ...] = ()
    """Repositories: the last parts of their paths."""
    publisher: str = ""
    """The folder of all its repositories on Docker Hub, in place of `images`."""
    tags: tuple[str, ...] = ("*",)
    other_tags: tuple[str, ...] = ()
    """Tags that the repository has."""
    words: str
    """What the repository has, or where its images are now, as a clause."""
    instead: str
    """What to write, in the imperative."""


class PublishedTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole table."""

    roots: tuple[RootImages, ...]
    builds: tuple[ArchImages, ...]
    dash: tuple[DashImages, ...]
    missing: tuple[MissingTag, ...]
