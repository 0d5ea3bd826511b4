"""The types of the table of trainers: names of their parallel degrees, and divisibility rules."""

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
"""A number among a program's settings."""
Number = Said | Literal["world", "data"]
"""`world`: processes of a run. `data`: copies of the model among them."""


class Trainer(Fact, frozen=True, kw_only=True):
    """One training program."""

    title: str
    marks: tuple[str, ...]
    """Options, one of which identifies the program."""
    settings: bool = False
    """Whether the settings are words `name=value`."""
    unsaid: int | None = None
    """The default of a degree; None if a recipe or a file sets it."""
    unless: tuple[str, ...] = ()
    """Options with which the numbers have another meaning."""
    names: dict[Said, tuple[str, ...]]


class Relation(Fact, frozen=True, kw_only=True):
    """A number that must be a multiple of the product of others."""

    of: Number
    by: tuple[Number, ...]
    unless: tuple[str, ...] = ()


class Trainers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole table."""

    trainers: tuple[Trainer, ...]
    relations: tuple[Relation, ...]
