"""Whose devices a container has, and by which library their processes talk."""

from gpuspec import hardware
from gpuspec.objects.containers import PodContainer

NVIDIA = "nvidia"


def maker(one: PodContainer) -> str:
    """Return whose devices it asks for; NVIDIA's where nothing tells."""
    return next((device.what.vendor for device in one.devices), NVIDIA)


def library(one: PodContainer) -> str:
    """Return the name of the library that takes NCCL's place on its devices; NCCL where none is
    known."""
    known = hardware.pod_needs(maker(one)).collectives
    return known.name if known else "NCCL"


def has_own_network(one: PodContainer) -> bool:
    """Return whether its devices reach those of other nodes without a fabric that it asks for."""
    return hardware.pod_needs(maker(one)).network is not None
