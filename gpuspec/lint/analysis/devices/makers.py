"""The vendor of a container's devices, and its communication library."""

from gpuspec import hardware
from gpuspec.objects.containers import PodContainer

NVIDIA = "nvidia"


def maker(container: PodContainer) -> str:
    """Return the vendor of the requested devices; NVIDIA if it is unknown."""
    return next((device.what.vendor for device in container.devices), NVIDIA)


def library(container: PodContainer) -> str:
    """Return the name of the library that replaces NCCL for its devices; NCCL if none is known."""
    collectives = hardware.pod_needs(maker(container)).collectives
    return collectives.name if collectives else "NCCL"


def has_own_network(container: PodContainer) -> bool:
    """Return whether its devices connect to those of other nodes without a requested fabric."""
    return hardware.pod_needs(maker(container)).network is not None
