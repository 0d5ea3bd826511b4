"""What a pod needs that has a vendor's devices, besides asking for them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class DeviceFiles(msgspec.Struct, frozen=True):
    """Files that the device plugin hands into a container as they are on the node.

    `groups`: names of the node's groups that alone may open them; their numbers differ by node.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    source: str


class HugePages(msgspec.Struct, frozen=True):
    """That the driver needs pages of 2Mi; how many, the maker does not say."""

    why: str
    source: str


class OwnNetwork(msgspec.Struct, frozen=True):
    """That devices reach those of other nodes without a fabric that pods ask for."""

    why: str
    source: str


class HidingVariable(msgspec.Struct, frozen=True):
    """The variable by which a container that asks for no device sees none."""

    name: str
    value: str
    why: str
    source: str


class Indexes(msgspec.Struct, frozen=True):
    """Variables by which a process takes some of its container's devices, counted from 0."""

    names: tuple[str, ...]
    reader: str
    source: str


class Collectives(msgspec.Struct, frozen=True):
    """The library by which processes on several devices talk.

    `begin`: how the names of its variables begin. `interface`: the one that binds its connections
    to a network interface, where there is one. `tcp`: whether it falls back to TCP without a fabric.
    """

    name: str
    begin: str
    source: str
    interface: str | None = None
    tcp: bool = True


class PodNeeds(msgspec.Struct, frozen=True):
    """Of one vendor's devices. `files` is None where anyone may open them."""

    files: DeviceFiles | None = None
    hugepages: HugePages | None = None
    hidden: HidingVariable | None = None
    indexes: Indexes | None = None
    collectives: Collectives | None = None
    network: OwnNetwork | None = None


@cache
def pod_needs(vendor: str) -> PodNeeds:
    """Return what a pod with this vendor's devices needs; nothing for a vendor that we do not
    know."""
    whole = table("vendors")
    for entry in whole["vendors"]:
        if entry["name"] == vendor:
            return _needs(entry.get("pods", {}), whole["sources"])
    return PodNeeds()


def _needs(entry: Mapping[str, Any], sources: Mapping[str, str]) -> PodNeeds:
    rows_with_source = {
        key: {**row, "source": sources[row["source"]]} for key, row in entry.items()
    }
    return msgspec.convert(rows_with_source, PodNeeds)
