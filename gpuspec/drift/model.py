"""What a profile and specs say, and nodes and objects do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from gpuspec.diff import Field

How = Literal["missing", "different", "unasked"]
"""`missing`: it is said, and not there. `unasked`: it is there, and nothing says it."""
About = Literal["profile", "pool", "nodes", "platform", "named", "spec", "workload"]
"""What differs. `nodes`: those of no pool. `platform`: what `cluster render` makes. `named`: what the
profile names and others make. `spec`: what a spec or a manifest asks for. `workload`: what runs."""
Topic = Literal[
    "nodes",
    "state",
    "devices",
    "model",
    "sharing",
    "labels",
    "taints",
    "size",
    "zone",
    "capacity",
    "architecture",
    "version",
    "driver",
    "pool",
    "object",
]


class Trait(msgspec.Struct, frozen=True):
    """One fact in which a node differs from its pool."""

    topic: Topic
    text: str


class DriftRemark(msgspec.Struct, frozen=True):
    """What differs, in one sentence."""

    topic: Topic
    text: str
    nodes: tuple[str, ...] = ()
    """The nodes of which it is said, by name; empty where it is said of the whole."""


class Difference(msgspec.Struct, frozen=True):
    """One thing that is not as it is said."""

    how: How
    about: About
    name: str
    """Like `pool h100`, `ResourceQuota research/gpuspec`."""
    remarks: tuple[DriftRemark, ...] = ()
    fields: tuple[Field, ...] = ()
    """Of an object: what is said of a field, and what is there."""
    where: str = ""
    """Where it is said: the place in the profile, the file, the spec."""


class Unseen(msgspec.Struct, frozen=True):
    """A kind that the dump does not hold, so that nothing is known of its objects."""

    kind: str
    names: tuple[str, ...]
    """The objects that are said, as `namespace/name`."""
    ask: str
    """What `kubectl get` has to be asked for."""


class Drift(msgspec.Struct, frozen=True):
    """What is said, held against what runs."""

    profile: str
    live: str
    differences: tuple[Difference, ...]
    unseen: tuple[Unseen, ...]
    pools: int
    """Pools that were compared."""
    nodes: int
    """Nodes that are of a pool."""
    objects: int
    """Objects that were compared, or looked for."""
    notes: tuple[str, ...] = ()

    @property
    def drifts(self) -> bool:
        """Whether anything differs."""
        return bool(self.differences)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing of what is said could be looked for."""
        return not (self.differences or self.pools or self.objects)
