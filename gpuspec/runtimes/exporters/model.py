"""The typed form of the tables of exporters."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact


class ExportedSeries(Fact, frozen=True, kw_only=True):
    """One series."""

    name: str
    type: Literal["counter", "gauge"]
    counts: str
    labels: tuple[str, ...] = ()
    """Labels of this series, next to those of its exporter."""
    asked: bool = False
    """Whether the exporter emits the series only if it is configured to."""


class Exporter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One exporter."""

    name: str
    """The name in `installed` of profiles, for an exporter that a profile can list."""
    title: str
    checked: str
    """The version of the exporter whose code was read."""
    labels: tuple[str, ...] = ()
    """Labels of every series."""
    told: str | None = None
    """The configuration that the exporter needs for the rendered alerts and dashboards."""
    series: tuple[ExportedSeries, ...]


class SeriesFamily(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All series of one program, of any release."""

    title: str
    begins: tuple[str, ...]
    """The prefixes that only this program's series have."""
    names: str
    """The names, without the endings of counters and histograms; a single prefix is left out. A name
    that ends in `_` stands for all that begin with it."""
    source: str

    def full_names(self) -> frozenset[str]:
        """Return the names with their prefix."""
        prefix = self.begins[0] if len(self.begins) == 1 else ""
        return frozenset(prefix + name for name in self.names.split())


class SeriesReading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the values of some gauges are to be read."""

    series: tuple[str, ...]
    scale: Literal["ratio", "percent", "mib", "count", "number"]
    source: str

    @property
    def most(self) -> float | None:
        """The greatest value; None where there is none."""
        return _MOST.get(self.scale)


_MOST = {"ratio": 1.0, "percent": 100.0, "mib": 1e6}
