"""The needs of a pod with a vendor's devices, in addition to the request."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class DeviceFiles(msgspec.Struct, frozen=True):
    """Device files that the device plugin passes into a container with the node's permissions.

    `groups`: the node's groups that may open them; their ids differ by node.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    source: str


class HugePages(msgspec.Struct, frozen=True):
    """The driver's need for 2Mi huge pages, in a number that the vendor does not document."""

    why: str
    source: str


class OwnNetwork(msgspec.Struct, frozen=True):
    """A network of the devices themselves, which pods do not request."""

    why: str
    source: str


class HidingVariable(msgspec.Struct, frozen=True):
    """The variable that hides all devices from a container without a request."""

    name: str
    value: str
    why: str
    source: str


class Indexes(msgspec.Struct, frozen=True):
    """Variables with which a process selects some of its container's devices, counted from 0."""

    names: tuple[str, ...]
    reader: str
    source: str


class Collectives(msgspec.Struct, frozen=True):
    """The communication library of processes on several devices.

    `begin`: the prefix of its variables. `interface`: the variable that binds its connections to a
    network interface, if any. `tcp`: whether it falls back to TCP without a fabric.
    """

    name: str
    begin: str
    source: str
    interface: str | None = None
    tcp: bool = True


class PodNeeds(msgspec.Struct, frozen=True):
    """The needs of pods with one vendor's devices. `files` is None if anyone may open them."""

    files: DeviceFiles | None = None
    hugepages: HugePages | None = None
    hidden: HidingVariable | None = None
    indexes: Indexes | None = None
    collectives: Collectives | None = None
    network: OwnNetwork | None = None


@cache
def pod_needs(vendor: str) -> PodNeeds:
    """Return the needs of a pod with this vendor's devices; empty for an unknown vendor."""
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
