"""The fields that providers reject in pods on nodes that they manage."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class ManagedRefusal(msgspec.Struct, frozen=True):
    """One rejected feature of a pod.

    `part`: the kind of feature, a word known to the reader of pods. `of`: the only rejected values;
    `but`: the only accepted ones. `unless`: a condition, visible in no manifest, under which it is
    accepted; None if the rejection is certain.
    """

    part: str
    of: tuple[str, ...]
    but: tuple[str, ...]
    unless: str | None
    source: str


class ManagedNodes(msgspec.Struct, frozen=True):
    """Nodes that a provider manages, and how to recognise pods for them.

    `whole`: whether a cluster can consist of them alone. `exempt`: a label of pods that are not
    checked.
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
    """Return the known managed nodes, in the table's order."""
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
