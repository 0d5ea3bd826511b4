"""What is known of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from gpuspec.keys.forms import ValueForm

Field = Literal["label", "annotation", "env", "resource"]
Level = Literal["object", "pod", "node", "any"]
"""Whose labels and annotations: an object's own, those of its pods, a node's; `any`: an object's as
its pods'."""


class RelatedKeys(msgspec.Struct, frozen=True):
    """Other keys at the same place, one of which a key needs, or does not bear."""

    any: tuple[str, ...]
    then: str
    """What comes of it."""
    soft: bool = False
    """It may be set where nobody sees it."""
    refused: bool = False
    """Something certainly refuses that."""


class Key(msgspec.Struct, frozen=True):
    """A key that something reads."""

    name: str
    fields: tuple[Field, ...]
    level: Level
    value: ValueForm | None
    then: str
    """What comes of another value."""
    refused: bool
    """Something certainly refuses another value."""
    elsewhere: str | None
    """What certainly refuses the key in another object's metadata."""
    groups: tuple[str, ...]
    """The API groups of the objects that it counts on, or kinds as `core/Namespace`; empty for all.
    `queued`: whatever Kueue manages."""
    alone: bool
    """On the pods of what is not queued it is read too."""
    need: RelatedKeys | None
    """One of these has to stand beside it."""
    bar: RelatedKeys | None
    """None of these may stand beside it."""
    set_by: str | None
    """The controller that sets it; None for a key that people write."""
    said: str | None
    """The code of the rule that holds it to more than is told here."""
    maker: str | None
    """Whose library is told of here: another maker's may read a variable of the same name otherwise."""
    source: str


class Old(msgspec.Struct, frozen=True):
    """A key that went out of use."""

    name: str
    fields: tuple[Field, ...]
    by: str | None
    """The key that took its place, where one did."""
    instead: str | None
    """What else to write."""
    same: bool
    """The new one takes the same values."""
    read: bool
    """It is still read."""
    since: str | None
    server: str | None
    """The model server that read it: whether it still does is told by the version of that."""
    kept: tuple[str, ...]
    """Programs that go on reading it by themselves, as their images are called."""
    always: str | None
    """The value with which it says what holds anyway since it went."""
    title: str
    source: str


class Project(msgspec.Struct, frozen=True):
    """A project, and all that is known of its keys."""

    name: str
    title: str
    closed: tuple[str, ...]
    """Domains, and beginnings of variables, of which all keys are known."""
    keys: dict[str, tuple[Key, ...]]
    old: dict[str, Old]
    names: frozenset[str]
    """Keys of which no more is said than that they are there."""
    names_source: str | None

    def every(self) -> set[str]:
        """Return all keys that it reads."""
        return {*self.keys, *self.names}
