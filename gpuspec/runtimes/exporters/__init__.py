"""Series of Prometheus exporters: of GPUs, of Kubernetes objects, of containers, of queues."""

from gpuspec.runtimes.exporters.load import dcgm_asked, dcgm_defaults, exporters, user_errors
from gpuspec.runtimes.exporters.model import Exported, Exporter

__all__ = ["Exported", "Exporter", "dcgm_asked", "dcgm_defaults", "exporters", "user_errors"]
