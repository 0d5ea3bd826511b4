"""The requests of a pod: GPUs, and the host resources beside them."""

from typing import Literal

from msgspec import Meta

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import Capability, NonEmpty, Positive
from gpuspec.spec.types import Annotated, Model, doc, quantity


class Gpu(Model):
    """The GPUs that one pod needs: the envelope. The profile decides which pool provides them."""

    models: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Acceptable GPU models, best first. A common name is enough (`h100-80gb`, "
            "`NVIDIA-H100-80GB-HBM3`); an ambiguous one (`H100`) is narrowed by the "
            "profile's pools. Empty: any model that meets the other fields.",
            ["H100-80GB", "A100-80GB"],
        ),
    ] = ()
    count: Annotated[
        int,
        Meta(ge=1, le=128),
        doc(
            "GPUs per pod, all on one node. They are whole GPUs; a count of 1 may be a "
            "share of a GPU if `memory` is set and a pool offers one.",
            8,
        ),
    ] = 1
    memory: Annotated[
        Quantity | None,
        doc(
            "Minimum memory of each GPU, in bytes as a quantity: what the process needs, "
            "not the marketed size (a GPU sold with 24 GB reports about 22Gi). For a count "
            "of 1, a MIG slice or share with this much suffices. Default: any, and only "
            "whole GPUs.",
            "40Gi",
        ),
    ] = None
    compute_capability: Annotated[
        Capability | None,
        doc(
            "Minimum CUDA compute capability, `major.minor` in quotes: 8.0 for bfloat16, "
            "8.9 for FP8. Default: any.",
            "8.0",
        ),
    ] = None
    interconnect: Annotated[
        Literal["any", "nvlink", "rdma"],
        doc(
            "`nvlink`: only GPUs connected by NVLink. `rdma`: only pools with an RDMA "
            "fabric, which the pods then request. `any`: no requirement.",
            "nvlink",
        ),
    ] = "any"
    topology: Annotated[
        NonEmpty | None,
        doc(
            "Topology of the TPU slice's chips. The pods are all of its hosts, with "
            "`count` chips each: 4x4 is 4 workers of 4. Default: that of the pool with as "
            "many hosts and chips, or without pools the only possible one.",
            "4x4",
        ),
    ] = None


class Resources(Model):
    """Host resources of the main container. The default of each is the pool's share for the pod's
    GPUs."""

    cpu: Annotated[
        Quantity | None,
        doc("CPU request in cores. Default: the pool's share for the pod's GPUs.", 16, "500m"),
    ] = None
    memory: Annotated[
        Quantity | None,
        doc(
            "Host memory in bytes, including /dev/shm; the limit equals the request unless "
            "`memoryLimit` is set. Default: the pool's share, or what loading the weights "
            "needs if that is more.",
            "128Gi",
        ),
    ] = None
    memory_limit: Annotated[
        Quantity | None,
        doc(
            "Memory limit in bytes, above `memory`, for short peaks. If the node runs out "
            "of memory, pods above their request are killed first. Default: `memory`.",
            "256Gi",
        ),
    ] = None
    ephemeral_storage: Annotated[
        Quantity | None,
        doc(
            "Local disk in bytes for logs, scratch and caches; the limit equals the "
            "request. Default: the total size of the scratch volumes.",
            "100Gi",
        ),
    ] = None
    cpu_limit: Annotated[
        Quantity | None,
        doc("CPU limit in cores. Default: none, since throttled data loaders starve a GPU.", 32),
    ] = None
    hugepages: Annotated[
        dict[str, Quantity],
        doc(
            "Huge pages by size, in bytes, in addition to those of the devices and the "
            "fabric; the limit equals the request, and `memory` does not include them. "
            "Default: none.",
            {"2Mi": "4Gi"},
        ),
    ] = {}
    extended: Annotated[
        dict[str, Positive],
        doc(
            "Resources of other device plugins by name; the limit equals the request. GPUs "
            "follow from `gpu`, the pool's fabric from `gpu.interconnect`. Default: none.",
            {"smarter-devices/fuse": 1},
        ),
    ] = {}
    shm: Annotated[
        Quantity | None,
        doc(
            "Size of the memory-backed /dev/shm in bytes, included in `memory`. Default: "
            "derived if several GPUs, workers or data loaders need it; otherwise the "
            "container runtime's 64Mi.",
            "16Gi",
        ),
    ] = None


class HelperResources(Model):
    """Resources of an init or sidecar container."""

    cpu: Annotated[
        Quantity, doc("CPU request in cores; there is no limit.", "100m", default="100m")
    ] = quantity("100m")
    memory: Annotated[
        Quantity, doc("Memory request and limit, in bytes.", "128Mi", default="128Mi")
    ] = quantity("128Mi")
    ephemeral_storage: Annotated[
        Quantity, doc("Local disk request and limit, in bytes.", "1Gi", default="1Gi")
    ] = quantity("1Gi")
