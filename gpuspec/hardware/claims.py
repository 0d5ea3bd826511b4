"""The DRA drivers of vendors, and how they describe their devices."""

from collections.abc import Mapping
from functools import cache

import msgspec

from gpuspec.hardware.tables import table


class ClaimDriver(msgspec.Struct, frozen=True):
    """A DRA driver's description of its devices in ResourceSlices; None or empty if it lacks a
    fact.

    `driver`: its name, and the domain of its attributes. `whole`, `partition`: the DeviceClasses of
    whole devices and of parts of one. `extended`: the extended resource that the class of whole
    devices stands for. `type`: the attribute whose value by kind (`types`) tells whole devices and
    parts apart. `blanks`: the product's name has blanks where its label has hyphens.
    """

    driver: str
    whole: str
    source: str
    partition: str | None = None
    extended: str | None = None
    type: str | None = None
    types: Mapping[str, str] = msgspec.field(default_factory=dict)
    product: str | None = None
    blanks: bool = False
    capability: str | None = None
    profile: str | None = None
    memory: str | None = None


@cache
def claim_drivers() -> Mapping[str, ClaimDriver]:
    """Return the drivers by vendor."""
    whole = table("vendors")
    return {
        entry["name"]: msgspec.convert(
            {**entry["claims"], "source": whole["sources"][entry["claims"]["source"]]}, ClaimDriver
        )
        for entry in whole["vendors"]
        if "claims" in entry
    }


def claim_driver(vendor: str) -> ClaimDriver | None:
    """Return the driver of a vendor's devices; None if unknown."""
    return claim_drivers().get(vendor)


@cache
def network_drivers() -> frozenset[str]:
    """Return the DRA drivers whose devices are network interfaces of the whole pod."""
    return frozenset(table("vendors")["networks"])
