"""Platform objects: namespaces, limits, priorities, queues, devices and their operator."""

from gpuspec.cluster.platform.gpu_operator import no_chart, operator_values
from gpuspec.cluster.platform.platform import Platform, platform_objects

__all__ = ["Platform", "no_chart", "operator_values", "platform_objects"]
