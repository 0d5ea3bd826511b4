"""The typed form of the table of published images."""

from msgspec import Struct

from gpuspec.runtimes.fact import Fact


class RootImages(Fact, frozen=True, kw_only=True):
    """Images whose user is root."""

    images: tuple[str, ...] = ()
    """Repositories, the last parts of their paths."""
    official: tuple[str, ...] = ()
    """Docker Hub's own, which have no publisher's name."""


class ArchImages(Fact, frozen=True, kw_only=True):
    """Images that hold one CPU architecture alone, though no word of their tags says so."""

    images: tuple[str, ...]
    tags: tuple[str, ...] = ("*",)
    other_tags: tuple[str, ...] = ()
    """Tags of builds for another one."""
    arch: str
    other: str
    """What to take on hosts of another one, in words."""


class Published(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole table."""

    roots: tuple[RootImages, ...]
    builds: tuple[ArchImages, ...]
