"""Load the tables next to this file, each once, on first use."""

from __future__ import annotations

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.numbers import read_version
from gpuspec.products.model import (
    CapabilityNeed,
    Contradiction,
    Distribution,
    Fault,
    InstallingCharts,
    MemoryNeed,
    StorageDriver,
)

DATA = os.path.join(os.path.dirname(__file__), "data")
_CONTRADICTIONS = (
    "contradictions",
    "stack-contradictions",
    "job-contradictions",
    "serving-contradictions",
)
"""The tables of contradictions: of platforms, of the releases, distributions and GPUs below the pod,
of what runs jobs, and of what serves models above one server."""


def contradictions_of(product: str) -> tuple[Contradiction, ...]:
    """Return the contradictions that a chart's values, or a kind's spec, may have; a kind is
    `group/Kind`."""
    return _contradictions().get(product, ())


@cache
def _contradictions() -> dict[str, tuple[Contradiction, ...]]:
    by_product: dict[str, tuple[Contradiction, ...]] = {}
    for rows in (table(DATA, name) for name in _CONTRADICTIONS):
        for row in rows["contradictions"]:
            contradiction = msgspec.convert(
                {**row, "source": rows["sources"][row["source"]]}, Contradiction
            )
            for product in contradiction.of:
                by_product[product] = (*by_product.get(product, ()), contradiction)
    return by_product


@cache
def distributions() -> dict[str, Distribution]:
    """Return what shows each distribution."""
    rows = table(DATA, "distributions")
    return {
        name: msgspec.convert({**row, "source": rows["sources"][row["source"]]}, Distribution)
        for name, row in rows["distributions"].items()
    }


def component_releases(chart: str, version: str) -> dict[str, str]:
    """Return the releases that a chart's release gives to its components, by the setting that
    changes each; empty for an unknown release."""
    number = read_version(version)
    if len(number) < 3:  # a range, or a branch
        return {}
    newest: dict[str, str] = {}
    for setting, by_release in table(DATA, "components")["charts"].get(chart, {}).items():
        for release, component in by_release.items():
            if read_version(release) <= number:
                newest[setting] = component
    return newest


@cache
def charts() -> InstallingCharts:
    """Return the parts that charts install in a cluster."""
    return msgspec.convert(table(DATA, "charts"), InstallingCharts)


@cache
def faults() -> tuple[Fault, ...]:
    """Return the known faults of releases."""
    rows = table(DATA, "faults")
    return tuple(
        msgspec.convert({**row, "source": rows["sources"][row["source"]]}, Fault)
        for row in rows["faults"]
    )


@cache
def memory_needs() -> tuple[MemoryNeed, ...]:
    """Return the programs with a known need of memory."""
    rows = table(DATA, "memory")
    return tuple(
        msgspec.convert({**row, "source": rows["sources"][row["source"]]}, MemoryNeed)
        for row in rows["programs"]
    )


def storage_driver(name: str) -> StorageDriver | None:
    """Return the facts about a storage driver; None if unknown."""
    return next((driver for driver in _drivers() if name in driver.names), None)


def driver_of_class(name: str) -> StorageDriver | None:
    """Return the driver of a StorageClass that a provider brings; None if the name is unknown."""
    return next((driver for driver in _drivers() if name in driver.classes), None)


@cache
def _drivers() -> tuple[StorageDriver, ...]:
    storage = table(DATA, "storage")
    return tuple(
        msgspec.convert({**row, "source": storage["sources"][row["source"]]}, StorageDriver)
        for row in storage["drivers"]
    )


@cache
def capability_needs() -> tuple[CapabilityNeed, ...]:
    """Return the capabilities that programs need."""
    needs = table(DATA, "linux-capabilities")
    return tuple(
        msgspec.convert({**row, "source": needs["sources"][row["source"]]}, CapabilityNeed)
        for row in needs["needs"]
    )


def argocd_options() -> dict[str, list[str]]:
    """Return the sync options of Argo CD, each with its values."""
    options: dict[str, list[str]] = table(DATA, "argocd")["options"]
    return options


def argocd_groups() -> dict[str, list[str]]:
    """Return kinds that Applications often name, each with its groups."""
    groups: dict[str, list[str]] = table(DATA, "argocd")["groups"]
    return groups
