"""What providers refuse of pods on nodes that they manage alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class ManagedRefusal(msgspec.Struct, frozen=True):
    """One thing that is refused of a pod.

    `part`: what of it, a word that the reader of pods knows. `of`: which of that alone; `but`: which is taken.
    `unless`: what would make it otherwise, and stands in no manifest; None where it is certain.
    """

    part: str
    of: tuple[str, ...]
    but: tuple[str, ...]
    unless: str | None
    source: str


class ManagedNodes(msgspec.Struct, frozen=True):
    """Nodes of a provider's own, and how a pod is known to go there.

    `whole`: a cluster may have no others. `exempt`: a label of pods that are let through.
    """

    name: str
    providers: tuple[str, ...]
    whole: bool
    selects: tuple[tuple[str, str], ...]
    scheduler: str | None
    exempt: str | None
    then: str
    refuses: tuple[ManagedRefusal, ...]
    source: str


@cache
def managed_nodes() -> tuple[ManagedNodes, ...]:
    """Return what is known of them, in the table's order."""
    whole = table("managed")
    return tuple(_nodes(name, row, whole["sources"]) for name, row in whole["managed"].items())


def _nodes(name: str, row: dict[str, Any], sources: Mapping[str, str]) -> ManagedNodes:
    pairs = (selector.partition("=") for selector in row["selects"])
    return ManagedNodes(
        name=name,
        providers=tuple(row["provider"].split()),
        whole=row.get("whole", False),
        selects=tuple((key, value) for key, _, value in pairs),
        scheduler=row.get("scheduler"),
        exempt=row.get("exempt"),
        then=row["then"],
        refuses=tuple(_refusal(refusal, sources) for refusal in row["refuses"]),
        source=sources[row["source"]],
    )


def _refusal(row: dict[str, Any], sources: Mapping[str, str]) -> ManagedRefusal:
    return ManagedRefusal(
        part=row["in"],
        of=tuple(row.get("of", ())),
        but=tuple(row.get("but", ())),
        unless=row.get("unless"),
        source=sources[row["source"]],
    )
