"""The record of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from gpuspec.keys.forms import ValueForm

Field = Literal["label", "annotation", "env", "resource"]
Level = Literal["object", "pod", "node", "any"]
"""The object whose metadata has the key: the object itself, its pods, a node; `any`: an object or
its pods."""


class RelatedKeys(msgspec.Struct, frozen=True):
    """Other keys at the same place: one of them is required, or all are excluded."""

    any: tuple[str, ...]
    then: str
    """The consequence if the condition is violated."""
    soft: bool = False
    """Whether a related key can be set where the linter does not see it."""
    refused: bool = False
    """Whether a program certainly rejects the violation."""


class Key(msgspec.Struct, frozen=True):
    """A key that a program reads."""

    name: str
    fields: tuple[Field, ...]
    level: Level
    value: ValueForm | None
    then: str
    """The consequence of a value outside of the form."""
    refused: bool
    """Whether a program certainly rejects such a value."""
    elsewhere: str | None
    """The program that certainly rejects the key in another object's metadata."""
    groups: tuple[str, ...]
    """The API groups of the objects on which the key has an effect, or kinds such as
    `core/Namespace`; empty for all. `queued`: objects that Kueue manages."""
    alone: bool
    """Whether the key also has an effect on pods of an object without a queue."""
    need: RelatedKeys | None
    """Keys of which one is required."""
    bar: RelatedKeys | None
    """Keys that are excluded."""
    set_by: str | None
    """The controller that sets the key; None for a key that users write."""
    said: str | None
    """The code of the rule that checks more than this record."""
    maker: str | None
    """The maker of the library that this record describes; another maker's library may read the
    variable differently."""
    source: str


class Old(msgspec.Struct, frozen=True):
    """A deprecated key."""

    name: str
    fields: tuple[Field, ...]
    by: str | None
    """The key that replaced it, if there is one."""
    instead: str | None
    """Something else to write."""
    same: bool
    """Whether the new key has the same values."""
    read: bool
    """Whether the key is still read."""
    since: str | None
    server: str | None
    """The model server that read the key; its version decides whether it still does."""
    kept: tuple[str, ...]
    """Names of the images of programs that still read the key themselves."""
    always: str | None
    """The value that has been the only behaviour since the key's removal."""
    title: str
    source: str


class Project(msgspec.Struct, frozen=True):
    """A project with all of its keys."""

    name: str
    title: str
    closed: tuple[str, ...]
    """Domains, and prefixes of variables, of which every key is known."""
    keys: dict[str, tuple[Key, ...]]
    old: dict[str, Old]
    names: frozenset[str]
    """Keys that are known only by name."""
    names_source: str | None

    def every(self) -> set[str]:
        """Return all keys that the project reads."""
        return {*self.keys, *self.names}
