"""Pools of a cluster profile: nodes alike, and what each of them has."""

from typing import Literal

import msgspec
from msgspec import Meta

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import Capability, Natural, NonEmpty, ObjectName, Positive
from gpuspec.spec.metadata import Labels
from gpuspec.spec.sharing import Sharing
from gpuspec.spec.storage import LocalDisk
from gpuspec.spec.types import Annotated, Duration, Model, doc, duration, quantity

MOST_GPUS = 1024
"""Of one node; no machine has as many."""


class PoolGpu(Model):
    """The GPUs of one node of a pool."""

    model: Annotated[
        NonEmpty,
        doc(
            "GPU model: one name of the hardware table, the memory size included; or any other name, "
            "with its `memory`.",
            "H100-80GB",
        ),
    ]
    count: Annotated[int, Meta(ge=1, le=MOST_GPUS), doc("GPUs per node.", 8)]
    resource: Annotated[
        NonEmpty, doc("Extended resource that the device plugin advertises.", "nvidia.com/gpu")
    ] = "nvidia.com/gpu"
    memory: Annotated[
        Quantity | None,
        doc(
            "Memory of one GPU in bytes, as its driver reports it: only for a model that the hardware "
            "table does not have. What its nodes are labelled with stands in the pool's `labels`.",
            "431Gi",
        ),
    ] = None
    compute_capability: Annotated[
        Capability | None,
        doc(
            "CUDA compute capability, in quotes, of such a model. Unset: it is none of NVIDIA's.",
            "12.1",
        ),
    ] = None


class HostResources(Model):
    """Allocatable of one node, as `kubectl describe node` shows it."""

    cpu: Annotated[Quantity, doc("Cores.", 190)]
    memory: Annotated[Quantity, doc("Memory in bytes.", "1900Gi")]
    ephemeral_storage: Annotated[
        Quantity | None, doc("Local disk for pods, in bytes. Unset: not checked.", "3500Gi")
    ] = None
    pods: Annotated[Positive, doc("Pod slots.", 110)] = 110


class ReservedResources(Model):
    """What DaemonSets take of a node's allocatable, all of them together."""

    cpu: Annotated[Quantity, doc("Cores.", 2, default="1")] = quantity("1")
    memory: Annotated[Quantity, doc("Memory in bytes.", "8Gi", default="4Gi")] = quantity("4Gi")
    ephemeral_storage: Annotated[Quantity, doc("Local disk in bytes.", "20Gi", default="10Gi")] = (
        quantity("10Gi")
    )


class Taint(Model):
    """A taint of the pool's nodes, which its pods then tolerate."""

    key: Annotated[NonEmpty, doc("Key.", "nvidia.com/gpu")]
    value: Annotated[str, doc("Value; may be empty.", "present")] = ""
    effect: Annotated[Literal["NoSchedule", "NoExecute", "PreferNoSchedule"], doc("Effect.")] = (
        "NoSchedule"
    )


class Rdma(Model):
    """The fabric between a pool's nodes, and what a pod must have to use it."""

    resource: Annotated[
        NonEmpty, doc("Extended resource of the fabric's devices.", "rdma/hca_shared_devices_a")
    ]
    count: Annotated[
        Positive, doc("How many devices a pod asks for; of a whole node with `perGpu`.", 1)
    ] = 1
    per_gpu: Annotated[
        bool,
        doc(
            "`count` is what a node has, and a pod asks for the part that goes with its GPUs. "
            "Unset: every pod asks for `count`."
        ),
    ] = False
    resources: Annotated[
        dict[str, Positive],
        doc(
            "More extended resources that a pod must ask for, where the fabric has several; "
            "counted as `count` is.",
            {"networking.gke.io.networks/rdma-1": 1, "networking.gke.io.networks/rdma-1.IP": 1},
        ),
    ] = {}
    memlock: Annotated[
        Literal["unlimited", "limited"],
        doc(
            "Lock limit that the container runtime gives. Restricted pods cannot add IPC_LOCK, so "
            "RDMA needs `unlimited` here.",
            "unlimited",
        ),
    ] = "unlimited"
    env: Annotated[
        Labels,
        doc(
            "NCCL and fabric settings, set in pods that use it. They win over those that gpuspec "
            "knows for the kind of fabric; the workload's own win over both.",
            {"NCCL_IB_HCA": "mlx5"},
        ),
    ] = {}
    hugepages: Annotated[
        Quantity | None,
        doc("hugepages-2Mi that the fabric library needs, in bytes (EFA). Unset: none.", "5120Mi"),
    ] = None
    networks: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Networks that Multus attaches a pod to, one for each device: `name`, "
            "`namespace/name`, or either with `@interface`. With `perGpu`, of a whole node.",
            ["fabric/rail"],
        ),
    ] = ()
    interfaces: Annotated[
        dict[str, ObjectName],
        doc(
            "GKE's further interfaces of a pod, each with its Network. They are those of a whole "
            "node, so pods with fewer GPUs than a node has get none.",
            {"eth2": "rdma-0", "eth3": "rdma-1"},
        ),
    ] = {}
    annotations: Annotated[
        Labels,
        doc(
            "Further annotations of pods that use the fabric, where something else attaches them.",
            {"cni.example.com/rail": "all"},
        ),
    ] = {}
    domain: Annotated[
        NonEmpty | None,
        doc(
            "Node label whose equal values mean near each other on the fabric: a block, a leaf "
            "switch, an NVLink domain. Workers of one Job then prefer to share a value.",
            "cloud.google.com/gce-topology-block",
        ),
    ] = None


class NodeCount(Model, kw_only=True):
    """Bounds between which an autoscaler moves the pool."""

    min: Annotated[Natural, doc("Fewest nodes.", 0)] = 0
    max: Annotated[Positive, doc("Most nodes.", 16)]


class Pool(Model):
    """Nodes alike: same GPUs, same size, same labels and taints."""

    name: Annotated[NonEmpty, doc("Name of the pool, for people; each has its own.", "h100")]
    gpu: Annotated[PoolGpu, doc("The GPUs of one node.", {"model": "H100-80GB", "count": 8})]
    allocatable: Annotated[
        HostResources | None,
        doc(
            "Allocatable of one node. Unset: the least of the common machines with this GPU.",
            {"cpu": 190, "memory": "1900Gi", "ephemeralStorage": "3500Gi"},
        ),
    ] = None
    reserved: Annotated[
        ReservedResources,
        doc("What DaemonSets take of it.", {"cpu": 2, "memory": "8Gi"}),
    ] = msgspec.field(default_factory=ReservedResources)
    labels: Annotated[
        Labels,
        doc(
            "Labels of its nodes. One that names the GPU model is what pods are bound to; one "
            "that no other pool has keeps pods off a pool they do not fit.",
            {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
        ),
    ] = {}
    taints: Annotated[
        tuple[Taint, ...],
        doc("Taints of its nodes.", [{"key": "nvidia.com/gpu", "value": "present"}]),
    ] = ()
    zones: Annotated[tuple[NonEmpty, ...], doc("Zones it spans.", ["eu-west-1a"])] = ()
    architecture: Annotated[
        Literal["amd64", "arm64"], doc("CPU architecture of its nodes.", "arm64")
    ] = "amd64"
    capacity: Annotated[
        Literal["on-demand", "spot"],
        doc("Whether its nodes can be taken away at short notice.", "spot"),
    ] = "on-demand"
    notice: Annotated[
        Duration, doc("Notice before a spot node is taken away.", "30s", default="30s")
    ] = duration("30s")
    sharing: Annotated[
        Sharing | None,
        doc(
            "How its GPUs are shared. A share is given to workloads that declare `gpu.memory` and "
            "may share; others leave the pool out.",
            {"mode": "time-slicing", "replicas": 4},
        ),
    ] = None
    rdma: Annotated[
        Rdma | None,
        doc("The fabric between its nodes.", {"resource": "rdma/hca_shared_devices_a"}),
    ] = None
    runtime_class: Annotated[
        ObjectName | None, doc("RuntimeClass its GPU pods need.", "nvidia")
    ] = None
    local_disk: Annotated[
        bool | LocalDisk,
        doc(
            "Its nodes have fast disks of their own, such as NVMe, for volumes that ask for them "
            "(`localDisk`). `true`: their ephemeral storage lies there; or the folder where they are "
            "mounted.",
            {"path": "/mnt/nvme"},
        ),
    ] = False
    nodes: Annotated[
        Natural | NodeCount | None,
        doc("Nodes now, or bounds. Unset: not known.", 4, {"min": 0, "max": 16}),
    ] = None
    spare: Annotated[
        Natural,
        doc(
            "Slots promised to rollouts: so many pods more than run now are sure to find room, "
            "and a rollout may surge by them. 0: none.",
            1,
        ),
    ] = 0

    @property
    def most_nodes(self) -> int | None:
        """The most nodes that it has; None where nobody says."""
        return self.nodes.max if isinstance(self.nodes, NodeCount) else self.nodes
