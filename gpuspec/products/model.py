"""The types of the tables of products."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from gpuspec.numbers import read_version

Value = str | bool | int


class Condition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A condition on the settings at some places. It is met if one of the places meets it;
    `written: false` and `unlike` must hold at each place."""

    at: tuple[str, ...]
    """Paths. `*` is any key, `[NAME]` the list item of that name, `'a.b'` a key with dots. A path of a
    kind that begins with `metadata` starts from the object. The part after `|` is a path inside a
    text that is YAML."""
    is_: tuple[Value, ...] = msgspec.field(default=(), name="is")
    like: str = ""
    """A pattern that the value must contain."""
    unlike: str = ""
    """A pattern that the value must not contain."""
    written: bool | None = None
    """Whether a value must be set."""
    default: Value | None = None
    """The default of an absent value."""

    @property
    def denies(self) -> bool:
        """Whether it is about an absent value."""
        return self.written is False or bool(self.unlike)


class Contradiction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of one product that contradict each other."""

    of: tuple[str, ...]
    """Charts, and kinds as `group/Kind`, whose `spec` the paths start from."""
    when: tuple[Condition, ...]
    """All conditions must be met. A finding stands at the first."""
    says: str
    """The contradiction and its consequence, as one sentence; `{0}` is the value of the first
    condition, `{1}` that of the second."""
    note: str
    """What to write."""
    source: str
    since: str = ""
    """The first release of the chart with the contradiction."""
    until: str = ""
    """The last release with it."""
    beside: tuple[str, ...] = ()
    """Kinds or charts, one of which must be among the objects."""
    level: Literal["warning", "info"] = "warning"
    certain: bool = True


class Brought(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The condition on which a chart installs a part."""

    switch: str = ""
    """The setting that turns it on."""
    default: bool = False
    """The default of the setting."""
    always: bool = False


class InstallingChart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parts that a chart installs in a cluster."""

    source: str
    privileged: bool = False
    """Whether its pods violate the level `baseline` of Pod Security."""
    unless: str = ""
    """The setting with which the chart labels its namespace itself."""
    brings: dict[str, Brought] = {}
    """The parts, by name."""


class SinglePart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part that a cluster can have once."""

    source: str
    title: str
    then: str
    """The consequence of two installations, as the end of a sentence."""
    kinds: tuple[str, ...] = ()
    """Kinds, as `group/Kind`, whose objects install the part too."""


class InstallingCharts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table of the parts that charts install."""

    sources: dict[str, str]
    charts: dict[str, InstallingChart]
    parts: dict[str, SinglePart]


class Fault(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fault of some releases."""

    source: str
    until: str
    """The last release with the fault."""
    since: str = ""
    """The first release with the fault; empty for all before."""
    images: tuple[str, ...] = ()
    """Repositories, the last parts of their paths."""
    charts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """API groups of the objects whose pods have the fault; empty for any."""
    instances: tuple[str, ...] = ()
    """Types of machines with the fault; empty for any."""
    beside: tuple[str, ...] = ()
    """Charts, and kinds as `group/Kind`, one of which must be in the set for the fault to occur."""
    option: str = ""
    """The command-line option whose value must contain `like`."""
    like: str = ""
    says: str
    """The consequence, as one sentence; `{release}` is the release."""
    note: str

    def has(self, release: tuple[int, ...]) -> bool:
        """Return whether a release has the fault."""
        return read_version(self.since) <= release <= read_version(self.until)
