"""How the GPUs of a pool are shared between pods."""

from typing import Literal

from msgspec import Meta

from gpuspec.spec.forms import Positive
from gpuspec.spec.types import Annotated, Model, doc

SHARED = ".shared"
"""What the device plugin's `renameByDefault` appends to a resource."""

MOST_REPLICAS = 48
"""Of one GPU; MPS has no more clients."""
_Replicas = Annotated[int, Meta(ge=2, le=MOST_REPLICAS)]


class Sharing(Model, kw_only=True):
    """How one GPU is handed out to several pods. Unset: whole GPUs, one pod each."""

    mode: Annotated[
        Literal["mig", "mps", "time-slicing"],
        doc(
            "`mig`: partitions in hardware, isolated. `mps`: kernels side by side, with limits on "
            "memory and compute; a fault of one ends all. `time-slicing`: turns, nothing is isolated."
        ),
    ]
    replicas: Annotated[
        _Replicas | None,
        doc("Pods per GPU, for mps and time-slicing, which need it.", 4),
    ] = None
    rename: Annotated[
        bool,
        doc(
            "The device plugin's `renameByDefault`: shares are advertised as nvidia.com/gpu.shared, "
            "so that nobody takes one for a GPU. For mps and time-slicing."
        ),
    ] = False
    fail_requests_greater_than_one: Annotated[
        bool | None,
        doc(
            "The device plugin's `failRequestsGreaterThanOne`: it refuses a container that asks for "
            "more than one share. Unset: its own default, no for time-slicing and yes for mps."
        ),
    ] = None
    strategy: Annotated[
        Literal["single", "mixed"],
        doc(
            "MIG strategy of the device plugin. `single`: slices are advertised as "
            "nvidia.com/gpu. `mixed`: as nvidia.com/mig-<profile>."
        ),
    ] = "single"
    profiles: Annotated[
        dict[str, Positive],
        doc("MIG layout of one GPU: profile to number of slices.", {"1g.10gb": 7}),
    ] = {}

    gpus: Annotated[
        Positive | None,
        doc(
            "GPUs of a node that are cut by MIG, where the others of it stay whole: both are had of "
            "the same nodes. For the strategy `mixed`, which tells them apart. Unset: all.",
            4,
        ),
    ] = None

    def share_name(self, resource: str) -> str:
        """The resource under which shares of GPUs are advertised; not for MIG."""
        return resource.removesuffix(SHARED) + SHARED if self.rename else resource

    @property
    def refuses_several(self) -> bool:
        """Whether a container that asks for more than one share is refused."""
        said = self.fail_requests_greater_than_one
        return self.mode == "mps" if said is None else said
