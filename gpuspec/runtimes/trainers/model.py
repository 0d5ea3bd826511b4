"""The typed form of the table of trainers: what they call their numbers, and what has to divide what."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact

Said = Literal[
    "devices",
    "nodes",
    "tensor",
    "pipeline",
    "context",
    "expert",
    "expert_tensor",
    "micro",
    "global",
    "layers",
    "heads",
    "experts",
]
"""A number that a program is told."""
Number = Said | Literal["world", "data"]
"""`world`: processes of a run. `data`: copies of the model among them."""


class Trainer(Fact, frozen=True, kw_only=True):
    """One program."""

    title: str
    marks: tuple[str, ...]
    """Options, one of which tells it."""
    settings: bool = False
    """They are words `name=value`."""
    unsaid: int | None = None
    """What a degree is of which nothing is said; None where a recipe or a file says it."""
    unless: tuple[str, ...] = ()
    """Options with which the numbers mean another thing."""
    names: dict[Said, tuple[str, ...]]


class Relation(Fact, frozen=True, kw_only=True):
    """A number that has to be a multiple of the product of others."""

    of: Number
    by: tuple[Number, ...]
    unless: tuple[str, ...] = ()


class Trainers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table."""

    trainers: tuple[Trainer, ...]
    relations: tuple[Relation, ...]
