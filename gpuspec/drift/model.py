"""The types of a drift report: differences between a profile with specs, and nodes with objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from gpuspec.diff import Field

How = Literal["missing", "different", "unasked"]
"""`missing`: expected, and not in the cluster. `unasked`: in the cluster, and not expected."""
About = Literal["profile", "pool", "nodes", "platform", "named", "spec", "workload"]
"""The subject of a difference. `nodes`: nodes of no pool. `platform`: objects of `cluster render`.
`named`: objects of others that the profile names. `spec`: objects of a spec or a manifest.
`workload`: running workloads."""
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
    """One difference, in one sentence."""

    topic: Topic
    text: str
    nodes: tuple[str, ...] = ()
    """The names of the nodes with the difference; empty if it concerns the whole pool."""


class Difference(msgspec.Struct, frozen=True):
    """An object or a pool that differs from what is expected."""

    how: How
    about: About
    name: str
    """A title such as `pool h100`, `ResourceQuota research/gpuspec`."""
    remarks: tuple[DriftRemark, ...] = ()
    fields: tuple[Field, ...] = ()
    """Differing fields of an object, with the expected and the live value."""
    where: str = ""
    """The place of the expectation: in the profile, the file, the spec."""


class Unseen(msgspec.Struct, frozen=True):
    """A kind that is missing in the dump, so its objects are unknown."""

    kind: str
    names: tuple[str, ...]
    """The expected objects, as `namespace/name`."""
    ask: str
    """The argument for `kubectl get`."""


class Drift(msgspec.Struct, frozen=True):
    """All differences between what is expected and what runs."""

    profile: str
    live: str
    differences: tuple[Difference, ...]
    unseen: tuple[Unseen, ...]
    pools: int
    """Pools that were compared."""
    nodes: int
    """Number of nodes that belong to a pool."""
    objects: int
    """Number of objects that were compared, or looked up."""
    notes: tuple[str, ...] = ()

    @property
    def drifts(self) -> bool:
        """Whether anything differs."""
        return bool(self.differences)

    @property
    def is_nothing(self) -> bool:
        """Whether the dump has nothing to compare with."""
        return not (self.differences or self.pools or self.objects)
