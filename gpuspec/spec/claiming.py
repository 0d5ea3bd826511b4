"""How the GPUs of a pool are had where a driver of Dynamic Resource Allocation hands them out."""

from typing import Literal

from gpuspec.spec.forms import ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class Dra(Model, kw_only=True):
    """GPUs that a DRA driver lists in ResourceSlices, in the place of a device plugin."""

    by: Annotated[
        Literal["claim", "extended-resource"],
        doc(
            "How pods ask for them. `claim`: by a ResourceClaim made from a template, which chooses by "
            "product, memory and MIG profile. `extended-resource`: by `resource` in their limits, as "
            "with a device plugin; a DeviceClass stands behind the name, and `cluster render` makes "
            "those that the driver's chart does not. That takes Kubernetes 1.36, a claim 1.34.",
            "claim",
        ),
    ]
    device_class: Annotated[
        ObjectName | None,
        doc(
            "DeviceClass that claims name. Unset: the one that the maker's driver comes with "
            "(`gpu.nvidia.com`, `mig.nvidia.com` for MIG).",
            "gpu.nvidia.com",
        ),
    ] = None
