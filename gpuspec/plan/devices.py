"""The devices of a pod: by which resource they are asked for, whose they are, what they need."""

from gpuspec import hardware
from gpuspec.hardware import PodNeeds
from gpuspec.plan.case import Case

DEVICE = "nvidia.com/gpu"
MAKER = "nvidia"


def device(case: Case) -> str:
    """What the pools advertise; without pools that of whole devices of the maker."""
    if case.offer is not None:
        return case.offer.resource
    return device_of(maker(case))


def device_of(vendor: str) -> str:
    """The resource of a maker's whole devices."""
    for known in hardware.vendors():
        if known.name == vendor:
            return known.resources[0].name
    return DEVICE


def maker(case: Case) -> str:
    """Whose devices the pods have: by the pools, else by the models or the image; else NVIDIA's."""
    if case.offer is not None:
        known = hardware.resource(case.offer.resource)
        return known.vendor if known else case.pools[0].model.vendor
    if case.models:
        return case.models[0].vendor
    return hardware.built_for(case.spec.image) or MAKER


def pod_needs(case: Case) -> PodNeeds:
    """What the pods need for their devices, besides asking for them."""
    return hardware.pod_needs(maker(case))


def library(case: Case) -> str:
    """What the library is called by which their processes talk: NCCL for all that names no other."""
    known = pod_needs(case).collectives
    return known.name if known else "NCCL"
