"""The platform's own objects: namespaces, quotas, priorities, queues, device configuration."""

from gpuspec.cluster.platform.platform import Platform, platform_objects

__all__ = ["Platform", "platform_objects"]
