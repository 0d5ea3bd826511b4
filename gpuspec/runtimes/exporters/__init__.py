"""Series of Prometheus exporters: of GPUs, of Kubernetes objects, of containers, of queues."""

from gpuspec.runtimes.exporters.load import (
    dcgm_asked,
    dcgm_defaults,
    exporters,
    readings,
    user_errors,
)
from gpuspec.runtimes.exporters.model import Exported, Exporter, SeriesReading

__all__ = [
    "Exported",
    "Exporter",
    "SeriesReading",
    "dcgm_asked",
    "dcgm_defaults",
    "exporters",
    "readings",
    "user_errors",
]
