"""What a pod asks of its node: GPUs, and the host resources beside them."""

from typing import Literal

from msgspec import Meta

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import Capability, NonEmpty, Positive
from gpuspec.spec.types import Annotated, Model, doc, quantity


class Gpu(Model):
    """What one pod needs of GPUs: the envelope. The profile decides which pool provides it."""

    models: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Acceptable GPU models, best first. A name that people type is enough (`h100-80gb`, "
            "`NVIDIA-H100-80GB-HBM3`); an ambiguous one (`H100`) is narrowed by the profile's "
            "pools. Empty: any model that meets the rest.",
            ["H100-80GB", "A100-80GB"],
        ),
    ] = ()
    count: Annotated[
        int,
        Meta(ge=1, le=128),
        doc(
            "GPUs per pod, from one node, so no more than one has. They are whole; for 1, a share "
            "of a GPU will do where `memory` is declared and a pool offers one.",
            8,
        ),
    ] = 1
    memory: Annotated[
        Quantity | None,
        doc(
            "Least memory of each GPU, in bytes as a quantity: what the process needs, not what "
            "is printed on the box (a GPU sold with 24 GB reports some 22Gi). A MIG slice or share "
            "that has it will do for a count of 1. Unset: any, and whole GPUs only.",
            "40Gi",
        ),
    ] = None
    compute_capability: Annotated[
        Capability | None,
        doc(
            "Least CUDA compute capability, `major.minor` in quotes: 8.0 for bfloat16, 8.9 for "
            "FP8. Unset: any.",
            "8.0",
        ),
    ] = None
    interconnect: Annotated[
        Literal["any", "nvlink", "rdma"],
        doc(
            "`nvlink`: only GPUs joined by NVLink. `rdma`: only pools with an RDMA fabric, which "
            "the pods then request. `any`: whatever the pool has.",
            "nvlink",
        ),
    ] = "any"
    topology: Annotated[
        NonEmpty | None,
        doc(
            "How the chips of a TPU slice are arranged. The pods are all of its hosts, `count` chips "
            "each: 4x4 is 4 workers of 4. Unset: as the pool is that has so many hosts with so many "
            "chips, or without pools the one arrangement that there is of them.",
            "4x4",
        ),
    ] = None


class Resources(Model):
    """Host resources of the main container. Unset ones are the pool's share for its GPUs."""

    cpu: Annotated[
        Quantity | None,
        doc("CPU request in cores. Unset: the pool's share for the pod's GPUs.", 16, "500m"),
    ] = None
    memory: Annotated[
        Quantity | None,
        doc(
            "Host memory in bytes, /dev/shm included; the limit equals the request unless "
            "`memoryLimit` says another. Unset: the pool's share, or what loading the weights needs "
            "where that is more.",
            "128Gi",
        ),
    ] = None
    memory_limit: Annotated[
        Quantity | None,
        doc(
            "Memory limit in bytes, above `memory`, for memory that is taken now and then. Where the "
            "node runs short, pods that use more than they ask for are ended first. Unset: `memory`.",
            "256Gi",
        ),
    ] = None
    ephemeral_storage: Annotated[
        Quantity | None,
        doc(
            "Local disk in bytes for logs, scratch and caches; the limit equals the request. "
            "Unset: what the scratch volumes may come to hold.",
            "100Gi",
        ),
    ] = None
    cpu_limit: Annotated[
        Quantity | None,
        doc("CPU limit in cores. Unset: none, since throttled data loaders starve a GPU.", 32),
    ] = None
    hugepages: Annotated[
        dict[str, Quantity],
        doc(
            "Huge pages by their size, in bytes, beside those that follow from the devices and the "
            "fabric; the limit equals the request, and `memory` does not count them. Unset: none.",
            {"2Mi": "4Gi"},
        ),
    ] = {}
    extended: Annotated[
        dict[str, Positive],
        doc(
            "Resources of other device plugins by name; the limit equals the request. GPUs follow "
            "from `gpu`, the pool's fabric from `gpu.interconnect`. Unset: none.",
            {"smarter-devices/fuse": 1},
        ),
    ] = {}
    shm: Annotated[
        Quantity | None,
        doc(
            "Size of the memory-backed /dev/shm in bytes, which counts inside `memory`. Unset: "
            "derived where several GPUs, workers or data loaders need it; else the runtime's 64Mi.",
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
