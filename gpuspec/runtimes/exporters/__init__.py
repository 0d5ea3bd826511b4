"""Series of Prometheus exporters: of GPUs, of Kubernetes objects, of containers, of queues."""

from gpuspec.runtimes.exporters.load import (
    dcgm_asked,
    dcgm_defaults,
    exporters,
    families,
    readings,
    user_errors,
)
from gpuspec.runtimes.exporters.model import ExportedSeries, Exporter, SeriesFamily, SeriesReading

__all__ = [
    "ExportedSeries",
    "Exporter",
    "SeriesFamily",
    "SeriesReading",
    "dcgm_asked",
    "dcgm_defaults",
    "exporters",
    "families",
    "readings",
    "user_errors",
]
