"""Fabrics between nodes: how they are recognised, what their libraries are told, how near nodes are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.pod_needs import pod_needs
from gpuspec.hardware.tables import table
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from gpuspec.hardware.model import GpuModel


class FabricVariable(msgspec.Struct, frozen=True):
    """One environment variable.

    `since`: the least compute capability of GPUs with NVLink for which it is right; None for all.
    `vendor`: whose devices it is for; None for all.
    """

    name: str
    value: str
    why: str
    source: str
    since: tuple[int, int] | None = None
    vendor: str | None = None

    def suits(self, model: GpuModel) -> bool:
        """Return whether it is right on nodes with this GPU."""
        if self.vendor not in (None, model.vendor):
            return False
        if self.since is None:
            return True
        return model.nvlink is not None and (model.compute_capability or (0, 0)) >= self.since


class Fabric(msgspec.Struct, frozen=True):
    """A kind of fabric.

    `needs`: what an image must have, or NCCL falls back to TCP unasked; `needs_of`: with devices of
    other makers. `exposed`: what happens to a container that has a file of every device of the node.
    """

    name: str
    title: str
    resources: tuple[str, ...]
    needs: str
    variables: tuple[FabricVariable, ...]
    source: str
    needs_of: Mapping[str, str] = {}
    exposed: str | None = None


class TopologyLabels(msgspec.Struct, frozen=True):
    """Node label keys of one family, from the widest level to the closest.

    `nvlink`: those whose nodes are one NVLink domain.
    """

    name: str
    levels: tuple[str, ...]
    nvlink: frozenset[str]
    source: str


@cache
def fabrics() -> tuple[Fabric, ...]:
    """Return the kinds of fabric that are known."""
    whole = table("fabrics")
    return tuple(
        Fabric(
            name=entry["name"],
            title=entry["title"],
            resources=tuple(entry["resources"]),
            needs=entry["needs"],
            variables=tuple(_variable(words) for words in entry["variables"]),
            source=whole["sources"][entry["source"]],
            needs_of=MappingProxyType(entry.get("needs-of", {})),
            exposed=entry.get("exposed", {}).get("harm"),
        )
        for entry in whole["fabrics"]
    )


@cache
def fabric(resource: str) -> Fabric | None:
    """Return the fabric whose devices an extended resource stands for, or None for a name of one's
    own."""
    for known_fabric in fabrics():
        for name in known_fabric.resources:
            if name == resource or (name[-1] == "*" and resource.startswith(name[:-1])):
                return known_fabric
    return None


@cache
def attached_variables(vendor: str) -> tuple[FabricVariable, ...]:
    """Return what a pod with a vendor's devices is told that has network interfaces besides its
    own."""
    library, row = pod_needs(vendor).collectives, table("fabrics")["attached"]
    if library is None or library.interface is None:
        return ()
    why = f"{library.name} {row['why']}"
    return (FabricVariable(library.interface, row["value"], why, library.source),)


@cache
def topologies() -> tuple[TopologyLabels, ...]:
    """Return families of node labels that say how close nodes are."""
    whole = table("fabrics")
    return tuple(
        TopologyLabels(
            name=entry["name"],
            levels=tuple(entry["levels"]),
            nvlink=frozenset(entry.get("nvlink", ())),
            source=whole["sources"][entry["source"]],
        )
        for entry in whole["topologies"]
    )


def fabric_settings(labels: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment that nodes with such labels are known to need."""
    variables: dict[str, str] = {}
    for entry in table("fabrics")["settings"]:
        if labels.get(entry["label"]) == entry["value"]:
            variables |= entry["env"]
    return MappingProxyType(variables)


def _variable(entry: dict[str, Any]) -> FabricVariable:
    since = None
    if "from" in entry:
        major, minor = read_version(entry["from"])
        since = major, minor
    source = table("fabrics")["sources"][entry["source"]]
    vendor = entry.get("vendor")
    return FabricVariable(entry["name"], entry["value"], entry["why"], source, since, vendor)
