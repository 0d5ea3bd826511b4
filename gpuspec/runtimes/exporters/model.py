"""The typed form of the tables of exporters."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact


class Exported(Fact, frozen=True, kw_only=True):
    """One series."""

    name: str
    type: Literal["counter", "gauge"]
    counts: str
    labels: tuple[str, ...] = ()
    """Its own, beside those of the exporter."""
    asked: bool = False
    """There is none unless the exporter is told to have it."""


class Exporter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One exporter."""

    name: str
    """As `installed` of profiles has it, where that is something to install."""
    title: str
    checked: str
    """The version against which the facts were checked."""
    labels: tuple[str, ...] = ()
    """Those of every series."""
    told: str | None = None
    """What it has to be told, for what is made of it."""
    series: tuple[Exported, ...]


class Reading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the values of some gauges are to be read."""

    series: tuple[str, ...]
    scale: Literal["ratio", "percent", "mib", "count", "number"]
    source: str

    @property
    def most(self) -> float | None:
        """The greatest value; None where there is none."""
        return _MOST.get(self.scale)


_MOST = {"ratio": 1.0, "percent": 100.0, "mib": 1e6}
