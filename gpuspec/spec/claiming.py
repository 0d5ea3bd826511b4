"""Pools whose GPUs are allocated by a driver of Dynamic Resource Allocation."""

from typing import Literal

from gpuspec.spec.forms import ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class Dra(Model, kw_only=True):
    """GPUs that a DRA driver lists in ResourceSlices, instead of a device plugin."""

    by: Annotated[
        Literal["claim", "extended-resource"],
        doc(
            "How pods request the GPUs. `claim`: by a ResourceClaim from a template, which "
            "selects by product, memory and MIG profile; needs Kubernetes 1.34. "
            "`extended-resource`: by `resource` in their limits, as with a device plugin; "
            "a DeviceClass defines that name, and `cluster render` creates the classes "
            "that the driver's chart does not; needs Kubernetes 1.36.",
            "claim",
        ),
    ]
    device_class: Annotated[
        ObjectName | None,
        doc(
            "DeviceClass that claims name. Default: the class of the vendor's driver "
            "(`gpu.nvidia.com`, `mig.nvidia.com` for MIG).",
            "gpu.nvidia.com",
        ),
    ] = None
