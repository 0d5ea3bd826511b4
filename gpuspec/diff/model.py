"""What is compared, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.kinds import ObjectIdentity
from gpuspec.manifests import Path

Effect = Literal[
    "in place", "next run", "new pods", "restart", "new run", "refused", "recreated", "data lost"
]
"""What the change of an object or a field comes to, from harmless to worst. `next run`: a CronJob's
next Job has it. `new pods`: running pods stay as they are. `new run`: a Job under a new name.
`refused`: the API server keeps the field as it is. `recreated`: another object takes its place."""
EFFECTS: tuple[Effect, ...] = (
    "in place",
    "next run",
    "new pods",
    "restart",
    "new run",
    "refused",
    "recreated",
    "data lost",
)
Level = Literal["any", "restart", "breaking"]
"""How much a difference weighs. `restart`: pods end or start. `breaking`: the apply is refused,
something is made anew, or data is lost."""
LEVELS: tuple[Level, ...] = ("any", "restart", "breaking")


class PodUse(msgspec.Struct, frozen=True):
    """One kind of pod of an object, and how many of it there are."""

    role: str
    """`pod` where the object has only one kind of pod."""
    spec: dict[str, Any]
    path: Path
    """Steps from the object's root to `spec`."""
    containers: tuple[tuple[str, dict[str, Any]], ...]
    """Stage (`main`, `init`, `sidecar`, `ephemeral`) and container."""
    each: dict[str, Fraction]
    """What one pod asks for: cores, bytes, devices."""
    least: int | None
    """Pods at the least; None where nothing tells."""
    most: int | None
    """Pods at the most; None where nothing bounds them."""
    by: str | None = None
    """The autoscaler that moves them."""


class OwnedField(msgspec.Struct, frozen=True):
    """A field of an object that a controller sets."""

    field: str
    """Its pattern, as the table of kinds has it."""
    by: str
    """Who sets it."""
    is_beside: bool
    """It is an autoscaler, an object of its own."""
    is_written: bool
    """The manifest says it too."""


class SideObject(msgspec.Struct, frozen=True):
    """One object of a side."""

    value: dict[str, Any]
    file: str
    """As people named it."""
    at: str = ""
    """The file seen from the folder that was given: what pairs one side's with the other's."""
    spec: str = ""
    """The workload that it was rendered from, like `Inference serving/chat`."""
    pods: tuple[PodUse, ...] = ()
    serves: bool = False
    """Its pods run until they are stopped."""
    owned: tuple[OwnedField, ...] = ()
    cluster: str = ""
    """The cluster that it is for, where that is known."""
    is_release: bool = False
    """It asks Flux, Argo CD or Kustomize for a Helm chart."""


class WrittenSpec(msgspec.Struct, frozen=True):
    """A spec as it is written."""

    value: dict[str, Any]
    file: str
    at: str
    name: str
    """Like `Inference serving/chat`."""


class Side(msgspec.Struct, frozen=True):
    """All that was read under one name."""

    name: str
    things: tuple[SideObject, ...] = ()
    specs: tuple[WrittenSpec, ...] = ()
    notes: tuple[str, ...] = ()


class Field(msgspec.Struct, frozen=True):
    """One field that differs."""

    path: str
    """Like `spec.template.spec.containers[name=main].image`."""
    part: str
    """Where in the object, in words: empty, `pod`, `container main`."""
    name: str
    """The path within that part."""
    change: Literal["added", "removed", "changed", "reordered"]
    old: Any = None
    new: Any = None
    hidden: bool = False
    """A secret: neither value is told."""
    effect: Effect = "in place"
    provenance: bool = False
    """It tells where the object comes from, and nothing reads it."""


class ChangeRemark(msgspec.Struct, frozen=True):
    """What a change means, in one sentence."""

    about: Literal[
        "amounts",
        "replicas",
        "autoscaler",
        "image",
        "placement",
        "security",
        "probes",
        "data",
        "effect",
    ]
    text: str
    alarm: bool = False
    """It wants a second look: security weakened, data lost, an apply refused."""


class ChangeRange(msgspec.Struct, frozen=True):
    """An amount from the least to the most; `most` is None where nothing bounds it."""

    least: Fraction
    most: Fraction | None


class Amount(msgspec.Struct, frozen=True):
    """What one kind of pod asks for of a resource, before and after: a pod, and all of them."""

    role: str
    resource: str
    each: tuple[Fraction, Fraction]
    total: tuple[ChangeRange, ChangeRange] | None
    """None where nothing tells how many pods there are."""


class ObjectChange(msgspec.Struct, frozen=True):
    """One object that differs."""

    change: Literal["added", "removed", "changed", "renamed", "retargeted"]
    """`renamed`: the same content under a new name. `retargeted`: the workload is carried by
    another kind of object."""
    object: ObjectIdentity
    """As it is now; of what is removed, as it was."""
    effect: Effect
    level: Level
    was: ObjectIdentity | None = None
    """What it was called before, where that differs."""
    file: str = ""
    old_file: str = ""
    spec: str = ""
    """The workload that it is rendered from."""
    remarks: tuple[ChangeRemark, ...] = ()
    fields: tuple[Field, ...] = ()
    amounts: tuple[Amount, ...] = ()


class SpecChange(msgspec.Struct, frozen=True):
    """One spec that differs as it is written."""

    change: Literal["added", "removed", "changed"]
    name: str
    file: str = ""
    old_file: str = ""
    fields: tuple[Field, ...] = ()


class Total(msgspec.Struct, frozen=True):
    """What all workloads together ask for of a resource, before and after."""

    resource: str
    old: ChangeRange
    new: ChangeRange


class Diff(msgspec.Struct, frozen=True):
    """Two sets of specs and objects, compared."""

    old: str
    new: str
    changes: tuple[ObjectChange, ...] = ()
    specs: tuple[SpecChange, ...] = ()
    origins: tuple[ObjectIdentity, ...] = ()
    """Objects that differ only in provenance: digests of spec and templates, versions."""
    alike: int = 0
    """Objects without a difference."""
    totals: tuple[Total, ...] = ()
    """Of the resources that differ."""
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> Level | None:
        """The weight of the heaviest difference; None where there is none."""
        levels = [LEVELS.index(change.level) for change in self.changes]
        if levels:
            return LEVELS[max(levels)]
        return "any" if self.specs or self.origins else None

    def reaches(self, level: Level) -> bool:
        """Return whether a difference weighs so much, or more."""
        return self.level is not None and LEVELS.index(self.level) >= LEVELS.index(level)
