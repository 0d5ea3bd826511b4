"""Programs that request GPUs from Ray with numbers on their command lines."""

from functools import cache

import msgspec
from msgspec import Struct

from gpuspec.manifests.tables import table
from gpuspec.products.load import DATA


class PlacedPart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The GPUs that a part of a program requests: the product of two numbers."""

    nodes: str
    """The option for the number of nodes, or of engines."""
    gpus: str
    """The option for the GPUs of each."""
    on_one_node: bool = True
    """Whether those of each must be on one Ray node."""


class RayProgram(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program."""

    title: str
    marks: tuple[str, ...]
    """Words of the command line, one of which identifies it."""
    parts: tuple[PlacedPart, ...]
    """Parts that have GPUs of their own."""
    unless: tuple[str, ...] = ()
    """Options with which the parts share GPUs."""
    source: str


@cache
def programs() -> tuple[RayProgram, ...]:
    """Return all of them."""
    rows = table(DATA, "ray-programs")
    return tuple(
        msgspec.convert({**row, "source": rows["sources"][row["source"]]}, RayProgram)
        for row in rows["programs"]
    )
