"""Load the tables of exporters when alerts and dashboards are rendered."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.exporters.model import Exporter, SeriesFamily, SeriesReading
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")
_NAMES = ("cadvisor", "dcgm-exporter", "kube-state-metrics", "kueue", "prometheus")
_DCGM = "dcgm-exporter"
_TYPES = ("gauge", "counter", "label")
_APART = ("sources", "user_errors", "others")


@cache
def exporters() -> tuple[Exporter, ...]:
    """Return all exporters, by name."""
    return tuple(_exporter(name) for name in _NAMES)


@cache
def _exporter(name: str) -> Exporter:
    row = table(DATA, name)
    facts = {key: value for key, value in row.items() if key not in _APART}
    return msgspec.convert(named(facts, row["sources"]), Exporter)


@cache
def user_errors() -> tuple[int, ...]:
    """Return the numbers of the Xid errors that a program causes, rather than a broken GPU."""
    return msgspec.convert(table(DATA, _DCGM)["user_errors"]["numbers"], tuple[int, ...])


def dcgm_defaults() -> dict[str, str]:
    """Return the fields that the DCGM exporter exports by default, each with its type."""
    others = table(DATA, _DCGM)["others"]
    fields = {
        exported.name: exported.type for exported in _exporter(_DCGM).series if not exported.asked
    }
    fields |= {name: kind for kind in _TYPES for name in others[kind]}
    return dict(sorted(fields.items(), key=lambda field: (_TYPES.index(field[1]), field[0])))


def dcgm_asked() -> dict[str, str]:
    """Return the fields that alerts need and that the exporter's default list lacks, each with its
    type."""
    return {exported.name: exported.type for exported in _exporter(_DCGM).series if exported.asked}


@cache
def readings() -> dict[str, SeriesReading]:
    """Return how the values of gauges are to be read, by the name of each."""
    facts = table(DATA, "readings")
    rows = msgspec.convert(
        [{**row, "source": facts["sources"][row["source"]]} for row in facts["readings"]],
        tuple[SeriesReading, ...],
    )
    return {name: row for row in rows for name in row.series}


@cache
def families() -> tuple[SeriesFamily, ...]:
    """Return the programs of whose series all names are known."""
    facts = table(DATA, "names")
    return msgspec.convert(
        [{**row, "source": facts["sources"][row["source"]]} for row in facts["families"]],
        tuple[SeriesFamily, ...],
    )
