"""Option files whose keys are fields of classes instead of command-line options."""

from functools import cache, cached_property

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.load import named
from gpuspec.runtimes.options.load import DATA


class Gone(Fact, frozen=True, kw_only=True):
    """A key that the program rejects."""

    key: str
    """The key, with dots between its steps."""
    since: str
    """The first release that rejects the key."""
    instead: str


class Capitals(Fact, frozen=True, kw_only=True):
    """A key whose values must be in capitals."""

    key: str
    words: tuple[str, ...]


class File(Fact, frozen=True, kw_only=True, dict=True):
    """The option file of one program."""

    program: str
    options: tuple[str, ...]
    """The options that name the file."""
    workers: tuple[str, ...] = ()
    """Other commands that start the program with the file."""
    images: tuple[str, ...] = ()
    """Images of workers with the first release of `gone`, or a later one."""
    first: str
    last: str
    """The releases for which every key of the first level is known."""
    keys: str
    gone: tuple[Gone, ...] = ()
    capitals: tuple[Capitals, ...] = ()

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of the first level."""
        return frozenset(self.keys.split())


@cache
def files() -> tuple[File, ...]:
    """Return the known option files."""
    row = table(DATA, "file-keys")
    option_files: tuple[File, ...] = msgspec.convert(
        named(row["files"], row["sources"]), tuple[File, ...]
    )
    return option_files
