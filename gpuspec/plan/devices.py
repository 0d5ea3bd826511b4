"""The devices of a pod: their resource, their vendor, and their needs."""

from gpuspec import hardware
from gpuspec.hardware import PodNeeds
from gpuspec.plan.resolution import Resolution

DEVICE = "nvidia.com/gpu"
MAKER = "nvidia"


def device(resolution: Resolution) -> str:
    """Return the resource that the pools advertise; without pools that of the vendor's whole
    devices."""
    if resolution.device_option is not None:
        return resolution.device_option.resource
    return device_of(maker(resolution))


def device_of(vendor: str) -> str:
    """Return the resource of a vendor's whole devices."""
    for named_vendor in hardware.vendors():
        if named_vendor.name == vendor:
            return named_vendor.resources[0].name
    return DEVICE


def maker(resolution: Resolution) -> str:
    """Return the vendor of the pods' devices: by the pools, else by the models or the image; else
    NVIDIA."""
    if resolution.device_option is not None:
        resource = hardware.resource(resolution.device_option.resource)
        return resource.vendor if resource else resolution.pools[0].model.vendor
    if resolution.models:
        return resolution.models[0].vendor
    return hardware.built_for(resolution.spec.image) or MAKER


def pod_needs(resolution: Resolution) -> PodNeeds:
    """Return what the pods need for their devices besides requesting them."""
    return hardware.pod_needs(maker(resolution))


def library(resolution: Resolution) -> str:
    """Return the name of the communication library: NCCL by default."""
    collectives = pod_needs(resolution).collectives
    return collectives.name if collectives else "NCCL"
