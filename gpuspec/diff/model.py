"""The types of a comparison and its results."""

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
"""The effect of an object's or field's change, from harmless to worst. `next run`: a CronJob's next
Job has it. `new pods`: running pods stay unchanged. `new run`: a Job under a new name. `refused`:
the field is immutable. `recreated`: another object replaces it."""
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
"""The weight of a difference. `restart`: pods end or start. `breaking`: the apply is rejected, an
object is replaced, or data is lost."""
LEVELS: tuple[Level, ...] = ("any", "restart", "breaking")


class PodUse(msgspec.Struct, frozen=True):
    """One kind of pod of an object, and the number of its pods."""

    role: str
    """`pod` if the object has only one kind of pod."""
    spec: dict[str, Any]
    path: Path
    """Steps from the object's root to `spec`."""
    containers: tuple[tuple[str, dict[str, Any]], ...]
    """Stage (`main`, `init`, `sidecar`, `ephemeral`) and container."""
    each: dict[str, Fraction]
    """Requests of one pod: cores, bytes, devices."""
    least: int | None
    """The least pods; None if unknown."""
    most: int | None
    """The most pods; None without an upper bound."""
    by: str | None = None
    """The autoscaler that scales them."""


class OwnedField(msgspec.Struct, frozen=True):
    """A field of an object that a controller sets."""

    field: str
    """The field's pattern, as the table of kinds has it."""
    by: str
    """The controller that sets it."""
    is_beside: bool
    """Whether the controller is an autoscaler with an object of its own."""
    is_written: bool
    """Whether the manifest sets the field too."""


class SideObject(msgspec.Struct, frozen=True):
    """One object of a side."""

    value: dict[str, Any]
    file: str
    """The file as the user named it."""
    at: str = ""
    """The file relative to the given folder; it matches the files of both sides."""
    spec: str = ""
    """The workload that the object is rendered from, such as `Inference serving/chat`."""
    pods: tuple[PodUse, ...] = ()
    serves: bool = False
    """Whether its pods run until they are stopped."""
    owned: tuple[OwnedField, ...] = ()
    cluster: str = ""
    """The cluster that the object is for, if known."""
    is_release: bool = False
    """Whether the object installs a Helm chart through Flux, Argo CD or Kustomize."""


class WrittenSpec(msgspec.Struct, frozen=True):
    """A spec as written."""

    value: dict[str, Any]
    file: str
    at: str
    name: str
    """A title such as `Inference serving/chat`."""


class Side(msgspec.Struct, frozen=True):
    """All documents of one side."""

    name: str
    things: tuple[SideObject, ...] = ()
    specs: tuple[WrittenSpec, ...] = ()
    notes: tuple[str, ...] = ()


class Field(msgspec.Struct, frozen=True):
    """One differing field."""

    path: str
    """A path such as `spec.template.spec.containers[name=main].image`."""
    part: str
    """The location in the object, in words: empty, `pod`, `container main`."""
    name: str
    """The path within that part."""
    change: Literal["added", "removed", "changed", "reordered"]
    old: Any = None
    new: Any = None
    hidden: bool = False
    """Whether the field is a secret, so that neither value is shown."""
    effect: Effect = "in place"
    provenance: bool = False
    """Whether the field only states the object's origin, and no program reads it."""


class ChangeRemark(msgspec.Struct, frozen=True):
    """The consequence of a change, in one sentence."""

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
    """Whether the user should look twice: weaker security, lost data, a rejected apply."""


class ChangeRange(msgspec.Struct, frozen=True):
    """An amount from the least to the most; `most` is None without an upper bound."""

    least: Fraction
    most: Fraction | None


class Amount(msgspec.Struct, frozen=True):
    """Requests of a resource before and after: of one pod, and of all pods of its kind."""

    role: str
    resource: str
    each: tuple[Fraction, Fraction]
    total: tuple[ChangeRange, ChangeRange] | None
    """None if the number of pods is unknown."""


class ObjectChange(msgspec.Struct, frozen=True):
    """One differing object."""

    change: Literal["added", "removed", "changed", "renamed", "retargeted"]
    """`renamed`: the same content under a new name. `retargeted`: another kind of object runs the
    workload."""
    object: ObjectIdentity
    """The new identity; of a removed object, the old one."""
    effect: Effect
    level: Level
    was: ObjectIdentity | None = None
    """The old identity, if it differs."""
    file: str = ""
    old_file: str = ""
    spec: str = ""
    """The workload that the object is rendered from."""
    remarks: tuple[ChangeRemark, ...] = ()
    fields: tuple[Field, ...] = ()
    amounts: tuple[Amount, ...] = ()


class SpecChange(msgspec.Struct, frozen=True):
    """One differing spec."""

    change: Literal["added", "removed", "changed"]
    name: str
    file: str = ""
    old_file: str = ""
    fields: tuple[Field, ...] = ()


class Total(msgspec.Struct, frozen=True):
    """Requests of all workloads for a resource, before and after."""

    resource: str
    old: ChangeRange
    new: ChangeRange


class Diff(msgspec.Struct, frozen=True):
    """The comparison of two sets of specs and objects."""

    old: str
    new: str
    changes: tuple[ObjectChange, ...] = ()
    specs: tuple[SpecChange, ...] = ()
    origins: tuple[ObjectIdentity, ...] = ()
    """Objects that differ only in provenance: digests of spec and templates, versions."""
    alike: int = 0
    """Number of objects without a difference."""
    totals: tuple[Total, ...] = ()
    """The resources that differ."""
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> Level | None:
        """The weight of the heaviest difference; None without a difference."""
        levels = [LEVELS.index(change.level) for change in self.changes]
        if levels:
            return LEVELS[max(levels)]
        return "any" if self.specs or self.origins else None

    def reaches(self, level: Level) -> bool:
        """Return whether a difference has this weight, or more."""
        return self.level is not None and LEVELS.index(self.level) >= LEVELS.index(level)
