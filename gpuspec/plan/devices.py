"""The extended resource by which GPUs are asked for."""

from gpuspec import hardware
from gpuspec.plan.case import Case

DEVICE = "nvidia.com/gpu"


def device(case: Case) -> str:
    """What the pools advertise; without pools the one of the models' maker, NVIDIA's for any model."""
    if case.offer is not None:
        return case.offer.resource
    return device_of(case.models[0].vendor) if case.models else DEVICE


def device_of(vendor: str) -> str:
    """The resource of a maker's whole devices."""
    for maker in hardware.vendors():
        if maker.name == vendor:
            return maker.resources[0].name
    return DEVICE
