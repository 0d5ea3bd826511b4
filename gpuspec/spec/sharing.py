"""How the GPUs of a pool are shared between pods."""

from typing import Literal

from msgspec import Meta

from gpuspec.spec.forms import Positive
from gpuspec.spec.types import Annotated, Model, doc

_Replicas = Annotated[int, Meta(ge=2, le=48)]


class Sharing(Model, kw_only=True):
    """How one GPU is handed out to several pods. Unset: whole GPUs, one pod each."""

    mode: Annotated[
        Literal["mig", "mps", "time-slicing"],
        doc(
            "`mig`: partitions in hardware, isolated. `mps`: one process space, memory limits "
            "without isolation of faults. `time-slicing`: turns, nothing is isolated."
        ),
    ]
    replicas: Annotated[
        _Replicas | None,
        doc("Pods per GPU, for mps and time-slicing.", 4),
    ] = None
    rename: Annotated[bool, doc("Shared devices are advertised as nvidia.com/gpu.shared.")] = False
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
