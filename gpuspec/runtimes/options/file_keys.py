"""Files of options whose keys are fields of classes, and no options of a line."""

from functools import cache, cached_property

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.load import named
from gpuspec.runtimes.options.load import DATA


class Gone(Fact, frozen=True, kw_only=True):
    """A key that is refused."""

    key: str
    """With dots between its steps."""
    since: str
    """The first release that refuses it."""
    instead: str


class Capitals(Fact, frozen=True, kw_only=True):
    """A key whose words are taken in capitals alone."""

    key: str
    words: tuple[str, ...]


class File(Fact, frozen=True, kw_only=True, dict=True):
    """One program's file."""

    program: str
    options: tuple[str, ...]
    """The options that name it."""
    workers: tuple[str, ...] = ()
    """What else starts the program with it."""
    images: tuple[str, ...] = ()
    """Images of workers that hold the first release of `gone`, or a later one."""
    first: str
    last: str
    """The releases of which every key of the first level is known."""
    keys: str
    gone: tuple[Gone, ...] = ()
    capitals: tuple[Capitals, ...] = ()

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of the first level."""
        return frozenset(self.keys.split())


@cache
def files() -> tuple[File, ...]:
    """Return the files that are known."""
    row = table(DATA, "file-keys")
    found: tuple[File, ...] = msgspec.convert(named(row["files"], row["sources"]), tuple[File, ...])
    return found
