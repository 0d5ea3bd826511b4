"""The typed form of the tables of products."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from gpuspec.numbers import read_version

Value = str | bool | int


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What settings say at some places. It is met where one of the places meets it; of `written: false`
    and `unlike`, where each does."""

    at: tuple[str, ...]
    """Paths. `*` is any key, `[NAME]` the item of a list that is called so, and what stands behind `|`
    is in a text that is YAML itself."""
    is_: tuple[Value, ...] = msgspec.field(default=(), name="is")
    like: str = ""
    """A pattern that is found in what is written."""
    unlike: str = ""
    """A pattern that is not."""
    written: bool | None = None
    """Whether anything is."""
    default: Value | None = None
    """What holds where nothing is written."""

    @property
    def denies(self) -> bool:
        """Whether it is about what is not written."""
        return self.written is False or bool(self.unlike)


class Contradiction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of one product that do not go together."""

    of: tuple[str, ...]
    """Charts, and kinds as `group/Kind`, whose `spec` the paths are in."""
    when: tuple[Condition, ...]
    """All of them. A finding stands where the first is met."""
    says: str
    """What contradicts what, and what comes of it, as one sentence; `{0}` is what the first of `when`
    has found, `{1}` what the second has."""
    note: str
    """What to write."""
    source: str
    since: str = ""
    """The first release of the chart that it is so in."""
    until: str = ""
    """The last one."""
    beside: tuple[str, ...] = ()
    """Kinds, one of which has to be among the objects, or charts."""
    level: Literal["warning", "info"] = "warning"
    certain: bool = True


class Brought(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a chart brings a part."""

    switch: str = ""
    """The value that says so."""
    default: bool = False
    """What it is where nothing is written."""
    always: bool = False


class InstallingChart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a chart brings into a cluster."""

    source: str
    privileged: bool = False
    """Whether its pods break the level `baseline` of Pod Security."""
    unless: str = ""
    """The switch with which it sees to that itself."""
    brings: dict[str, Brought] = {}
    """By part."""


class SinglePart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part that a cluster can have once."""

    source: str
    title: str
    then: str
    """What comes of two, as the end of a sentence."""
    kinds: tuple[str, ...] = ()
    """Kinds, as `group/Kind`, an object of which brings it too."""


class InstallingCharts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table of what charts bring."""

    sources: dict[str, str]
    charts: dict[str, InstallingChart]
    parts: dict[str, SinglePart]


class Fault(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fault of some releases."""

    source: str
    until: str
    """The last release that has it."""
    since: str = ""
    """The first; empty for all before."""
    images: tuple[str, ...] = ()
    """Repositories, the last parts of their paths."""
    charts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """API groups of the objects in whose pods it shows; empty for any."""
    instances: tuple[str, ...] = ()
    """Types of machines that it shows on; empty for any."""
    beside: tuple[str, ...] = ()
    """Charts, and kinds as `group/Kind`, one of which has to be in the set for it to show."""
    option: str = ""
    """The option of the command line whose value has to have `like` in it."""
    like: str = ""
    says: str
    """What happens, as one sentence; `{release}` is the release."""
    note: str

    def has(self, release: tuple[int, ...]) -> bool:
        """Return whether a release has it."""
        return read_version(self.since) <= release <= read_version(self.until)
