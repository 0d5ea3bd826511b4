"""Sharing of a pool's GPUs between pods."""

from typing import Literal

from msgspec import Meta

from gpuspec.spec.forms import Positive
from gpuspec.spec.types import Annotated, Model, doc

SHARED = ".shared"
"""What the device plugin's `renameByDefault` appends to a resource."""

MOST_REPLICAS = 48
"""The most replicas of one GPU; MPS supports no more clients."""
_Replicas = Annotated[int, Meta(ge=2, le=MOST_REPLICAS)]


class Sharing(Model, kw_only=True):
    """Sharing of one GPU between several pods. Default: whole GPUs, one pod each."""

    mode: Annotated[
        Literal["mig", "mps", "time-slicing"],
        doc(
            "`mig`: isolated hardware partitions. `mps`: concurrent kernels, with limits "
            "on memory and compute; a fault in one stops all. `time-slicing`: turns "
            "without isolation."
        ),
    ]
    replicas: Annotated[
        _Replicas | None,
        doc("Pods per GPU; required for mps and time-slicing.", 4),
    ] = None
    rename: Annotated[
        bool,
        doc(
            "The device plugin's `renameByDefault`: shares are advertised as "
            "nvidia.com/gpu.shared, so that nobody mistakes one for a GPU. For mps and "
            "time-slicing."
        ),
    ] = False
    fail_requests_greater_than_one: Annotated[
        bool | None,
        doc(
            "The device plugin's `failRequestsGreaterThanOne`: it rejects a container that "
            "requests more than one share. Default: its own, no for time-slicing and yes "
            "for mps."
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
            "GPUs of a node that are partitioned by MIG while the others stay whole: nodes "
            "then have both. For the strategy `mixed`, which distinguishes them. Default: "
            "all.",
            4,
        ),
    ] = None

    def share_name(self, resource: str) -> str:
        """Return the resource under which shares of a GPU are advertised, without MIG."""
        return resource.removesuffix(SHARED) + SHARED if self.rename else resource

    @property
    def refuses_several(self) -> bool:
        """Whether a container with more than one share is rejected."""
        fails_several = self.fail_requests_greater_than_one
        return self.mode == "mps" if fails_several is None else fails_several
