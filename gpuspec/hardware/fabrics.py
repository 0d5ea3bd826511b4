"""Fabrics between nodes: how to recognise them, environment variables of their libraries, and
topology labels."""

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
    """An environment variable.

    `since`: the minimum compute capability of GPUs with NVLink for which it applies; None for all.
    `vendor`: the vendor of the devices for which it applies; None for all.
    """

    name: str
    value: str
    why: str
    source: str
    since: tuple[int, int] | None = None
    vendor: str | None = None

    def suits(self, model: GpuModel) -> bool:
        """Return whether it applies on nodes with this GPU."""
        if self.vendor not in (None, model.vendor):
            return False
        if self.since is None:
            return True
        return model.nvlink is not None and (model.compute_capability or (0, 0)) >= self.since


class Fabric(msgspec.Struct, frozen=True):
    """A kind of fabric.

    `needs`: what an image must contain, because NCCL otherwise falls back to TCP silently;
    `needs_of`: the same for other vendors. `exposed`: the effect of giving a container the files of
    all devices of the node.
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

    `nvlink`: the keys whose nodes form one NVLink domain.
    """

    name: str
    levels: tuple[str, ...]
    nvlink: frozenset[str]
    source: str


@cache
def fabrics() -> tuple[Fabric, ...]:
    """Return the known fabrics."""
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
    """Return the fabric behind an extended resource, or None for a custom name."""
    for known_fabric in fabrics():
        for name in known_fabric.resources:
            if name == resource or (name[-1] == "*" and resource.startswith(name[:-1])):
                return known_fabric
    return None


@cache
def attached_variables(vendor: str) -> tuple[FabricVariable, ...]:
    """Return the environment of a pod with a vendor's devices and additional network interfaces."""
    library, row = pod_needs(vendor).collectives, table("fabrics")["attached"]
    if library is None or library.interface is None:
        return ()
    why = f"{library.name} {row['why']}"
    return (FabricVariable(library.interface, row["value"], why, library.source),)


@cache
def topologies() -> tuple[TopologyLabels, ...]:
    """Return the families of node labels that describe the network topology."""
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
    """Return the environment that pods are known to need on nodes with such labels."""
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
