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
    from_: str = msgspec.field(default="", name="from")
    """The oldest release that the value may name. An absent value is that of the chart's release."""
    below: str = ""
    """The oldest release that the value must not name any more."""
    entries: int = 0
    """The least number of entries that the value must have."""

    @property
    def is_of_release(self) -> bool:
        """Whether it is about a release, which a chart's own release gives if no value does."""
        return bool(self.from_ or self.below)

    @property
    def denies(self) -> bool:
        """Whether it is about an absent value."""
        return self.written is False or bool(self.unlike)


class Contradiction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of one product that contradict each other."""

    of: tuple[str, ...]
    """Charts, kinds as `group/Kind`, whose `spec` the paths start from, and `pod` for any pod with
    GPUs; a path from `metadata` starts from the object.
    """
    says: str
    """The contradiction and its consequence, as one sentence; `{0}` is the value of the first
    condition, `{1}` that of the second."""
    note: str
    """What to write."""
    source: str
    when: tuple[Condition, ...] = ()
    """All conditions must be met. A finding stands at the first; without conditions at the whole."""
    scope: tuple[str, ...] = ()
    """Paths to mappings of a kind that are judged one by one. The paths of the conditions then start
    there."""
    since: str = ""
    """The first release of the chart with the contradiction."""
    until: str = ""
    """The last release with it."""
    beside: tuple[str, ...] = ()
    """Kinds or charts, one of which must be among the objects."""
    beside_since: str = ""
    """The first release of the charts in `beside` with the contradiction."""
    beside_until: str = ""
    """The last release of the charts in `beside` with it."""
    which: tuple[Condition, ...] = ()
    """Conditions on the settings of one of those in `beside`."""
    distributions: tuple[str, ...] = ()
    """Distributions, by their names in `distributions.yaml`; the set must show one of them."""
    gpus: tuple[str, ...] = ()
    """GPUs, one of which the pod may get: families, and the beginnings of models' names."""
    level: Literal["warning", "info"] = "warning"
    certain: bool = True
    fault: bool = False
    """Whether it is a fault of a release, not of the settings."""


class Sign(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What shows a distribution."""

    of: str
    """A kind as `group/Kind`, or a chart."""
    which: tuple[Condition, ...] = ()
    """Conditions on its settings."""
    all: bool = False
    """Whether all objects of the kind must meet the conditions."""


class Distribution(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A distribution of Kubernetes, or a system of nodes."""

    source: str
    signs: tuple[Sign, ...]
    """What shows it, each by itself."""


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


class StorageDriver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values that a storage driver accepts."""

    names: tuple[str, ...]
    title: str
    source: str
    refused: tuple[str, ...] = ()
    """Access modes that it refuses for volumes with a file system."""
    instead: str = ""
    """What to use for a refused access mode."""
    classes: tuple[str, ...] = ()
    """StorageClasses of providers that have this driver."""
    static: bool = False
    """Whether it makes no volumes."""
    zonal: bool = False
    """Whether only nodes in a volume's zone mount it."""
    parameters: str = ""
    """All parameters that it knows, in lower case; `*` at the end stands for any. Empty if others are ignored."""
    needed: tuple[str, ...] = ()
    values: dict[str, tuple[str, ...]] = {}
    only: dict[str, dict[str, tuple[str, ...]]] = {}
    """Parameters that have an effect only with some values of another."""
    assumed: dict[str, str] = {}
    """Values of absent parameters."""
    apart: tuple[tuple[str, str], ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    attributes: tuple[str, ...] = ()
    """Attributes that a volume written by hand needs."""


class CapabilityNeed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A capability that a program needs."""

    title: str
    """The program; `{word}` is the word that starts it."""
    source: str
    capability: str
    then: str
    """The consequence without the capability."""
    images: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Options, one of which must be written."""
    unless: tuple[str, ...] = ()
    """Options, their values and variables with which another program does the work, or another
    user."""
    also: tuple[str, ...] = ()
    """Other capabilities that do as well."""
    counters: bool = False
    """Whether only a file of counters that has profiling ones needs it."""
    root: bool = False
    """Whether the program must be root."""
    default: bool = False
    """Whether container runtimes give the capability unless it is dropped."""


class MemoryNeed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Memory that a program needs, whatever it is given to do."""

    images: tuple[str, ...] = ()
    """Repositories, the last parts of their paths."""
    since: str = ""
    """The first release that needs so much; empty for all."""
    package: str = ""
    """The package of the Operator Lifecycle Manager that installs it."""
    chart: str = ""
    """The chart that installs it."""
    at: str = ""
    """The place of the limit in the chart's values."""
    least: str
    """The least that was measured to do, or what most of its pods use."""
    enough: str
    """A limit that does."""
    when: str
    """When it uses the least: `when idle`."""
    then: str
    """The consequence while the container restarts, as a clause."""
    source: str
