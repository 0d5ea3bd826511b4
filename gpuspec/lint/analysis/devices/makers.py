"""Whose devices a container has, and by which library their processes talk."""

from gpuspec import hardware
from gpuspec.objects.containers import PodContainer

NVIDIA = "nvidia"


def maker(container: PodContainer) -> str:
    """Return whose devices it asks for; NVIDIA's where nothing tells."""
    return next((device.what.vendor for device in container.devices), NVIDIA)


def library(container: PodContainer) -> str:
    """Return the name of the library that takes NCCL's place on its devices; NCCL where none is
    known."""
    collectives = hardware.pod_needs(maker(container)).collectives
    return collectives.name if collectives else "NCCL"


def has_own_network(container: PodContainer) -> bool:
    """Return whether its devices reach those of other nodes without a fabric that it asks for."""
    return hardware.pod_needs(maker(container)).network is not None
