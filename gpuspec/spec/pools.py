"""Pools of a cluster profile: equal nodes and their resources."""

from typing import Literal

import msgspec
from msgspec import Meta

from gpuspec.manifests import Quantity
from gpuspec.spec.claiming import Dra
from gpuspec.spec.fabric import Rdma
from gpuspec.spec.forms import Capability, Natural, NonEmpty, ObjectName, Positive, Version
from gpuspec.spec.karpenter import Karpenter
from gpuspec.spec.metadata import Labels
from gpuspec.spec.sharing import Sharing
from gpuspec.spec.storage import LocalDisk
from gpuspec.spec.types import Annotated, Duration, Model, doc, duration, quantity

PAGES = "hugepages-"
ZONE_LABEL = "topology.kubernetes.io/zone"
REGION_LABEL = "topology.kubernetes.io/region"
MOST_GPUS = 1024
"""The most GPUs of a node; no machine has as many."""


class PoolGpu(Model):
    """The GPUs of one node of a pool."""

    model: Annotated[
        NonEmpty,
        doc(
            "GPU model: a name from the hardware table, with its memory size; or any other "
            "name, with `memory`.",
            "H100-80GB",
        ),
    ]
    count: Annotated[
        int,
        Meta(ge=1, le=MOST_GPUS),
        doc("GPUs per node. With `partition`, the number of resulting devices.", 8),
    ]
    resource: Annotated[
        NonEmpty, doc("Extended resource that the device plugin advertises.", "nvidia.com/gpu")
    ] = "nvidia.com/gpu"
    partition: Annotated[
        NonEmpty | None,
        doc(
            "How AMD GPUs are partitioned, compute and memory: each becomes several "
            "devices with part of the memory. Workloads get one by their declared memory. "
            "`resource` is amd.com/gpu with the device plugin's naming strategy `single`, "
            "amd.com/<partition> with `mixed`. Default: whole GPUs.",
            "cpx_nps4",
        ),
    ] = None
    memory: Annotated[
        Quantity | None,
        doc(
            "Memory of one GPU in bytes, as its driver reports it: only for a model that "
            "is not in the hardware table. Its nodes' label belongs in the pool's `labels`.",
            "431Gi",
        ),
    ] = None
    compute_capability: Annotated[
        Capability | None,
        doc(
            "CUDA compute capability of such a model, in quotes. Default: it is not an NVIDIA GPU.",
            "12.1",
        ),
    ] = None
    topology: Annotated[
        NonEmpty | None,
        doc(
            "Topology of a TPU slice's chips, as in the label gke-tpu-topology; `count` is "
            "per host. If a slice has several hosts, `nodes` are all of one slice, or of "
            "several. Default: the label's value in `labels`.",
            "4x4",
        ),
    ] = None
    groups: Annotated[
        tuple[Natural, ...] | None,
        doc(
            "Group IDs on its nodes that may open the device files of AMD and Intel GPUs, "
            "as shown by `getent group render video`; pods join these groups. `[]`: "
            "everybody may open them. Default: unknown.",
            [44, 109],
        ),
    ] = None
    hugepages: Annotated[
        Quantity | None,
        doc(
            "hugepages-2Mi that a node has for its accelerators' driver, in bytes (Gaudi); "
            "a pod requests the share of its devices. Default: none.",
            "95000Mi",
        ),
    ] = None
    dra: Annotated[
        Dra | None,
        doc(
            "The GPUs are allocated by a DRA driver. Default: by a device plugin, as `resource`.",
            {"by": "claim"},
        ),
    ] = None


class HostResources(Model):
    """The allocatable resources of one node, as `kubectl describe node` shows them."""

    cpu: Annotated[Quantity, doc("Cores.", 190)]
    memory: Annotated[Quantity, doc("Memory in bytes.", "1900Gi")]
    ephemeral_storage: Annotated[
        Quantity | None, doc("Local disk for pods, in bytes. Default: not checked.", "3500Gi")
    ] = None
    pods: Annotated[Positive, doc("Pod slots.", 110)] = 110
    hugepages: Annotated[
        dict[str, Quantity],
        doc(
            "Huge pages by size, in bytes: all of them, including those of the "
            "accelerators' driver and the fabric's library. Default: only these two.",
            {"2Mi": "64Gi"},
        ),
    ] = {}
    extended: Annotated[
        dict[str, Positive],
        doc(
            "Resources of device plugins other than those of `gpu` and `rdma`, by name.",
            {"smarter-devices/fuse": 20},
        ),
    ] = {}


class ReservedResources(Model):
    """The part of a node's allocatable resources that all DaemonSets together use."""

    cpu: Annotated[Quantity, doc("Cores.", 2, default="1")] = quantity("1")
    memory: Annotated[Quantity, doc("Memory in bytes.", "8Gi", default="4Gi")] = quantity("4Gi")
    ephemeral_storage: Annotated[Quantity, doc("Local disk in bytes.", "20Gi", default="10Gi")] = (
        quantity("10Gi")
    )


class Taint(Model):
    """A taint of the pool's nodes, which pods for the pool tolerate."""

    key: Annotated[NonEmpty, doc("Key.", "nvidia.com/gpu")]
    value: Annotated[str, doc("Value; may be empty.", "present")] = ""
    effect: Annotated[Literal["NoSchedule", "NoExecute", "PreferNoSchedule"], doc("Effect.")] = (
        "NoSchedule"
    )


class NodeCount(Model, kw_only=True):
    """The bounds within which an autoscaler sizes the pool."""

    min: Annotated[Natural, doc("Fewest nodes.", 0)] = 0
    max: Annotated[Positive, doc("Most nodes.", 16)]


class Pool(Model):
    """Equal nodes: same GPUs, same size, same labels and taints."""

    name: Annotated[NonEmpty, doc("Unique name of the pool, for people.", "h100")]
    gpu: Annotated[PoolGpu, doc("The GPUs of one node.", {"model": "H100-80GB", "count": 8})]
    allocatable: Annotated[
        HostResources | None,
        doc(
            "Allocatable resources of one node. Default: those of the machine that the "
            "label `node.kubernetes.io/instance-type` names, or of the smallest machine "
            "sold with this GPU, less 10 %.",
            {"cpu": 190, "memory": "1900Gi", "ephemeralStorage": "3500Gi"},
        ),
    ] = None
    reserved: Annotated[
        ReservedResources,
        doc("What DaemonSets use of it.", {"cpu": 2, "memory": "8Gi"}),
    ] = msgspec.field(default_factory=ReservedResources)
    labels: Annotated[
        Labels,
        doc(
            "Node labels. Pods select the one that names the GPU model; one that no other "
            "pool has keeps pods off pools they do not fit.",
            {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
        ),
    ] = {}
    model_label: Annotated[
        NonEmpty | None,
        doc(
            "Key in `labels` that names the GPU model, if it is not a known one. Default: "
            "a known key (`nvidia.com/gpu.product`, `cloud.google.com/gke-accelerator`, "
            "…), one for the node type (`node.kubernetes.io/instance-type`, a node "
            "pool's), or one whose value names this model and no other.",
            "example.com/gpu-name",
        ),
    ] = None
    taints: Annotated[
        tuple[Taint, ...],
        doc("Node taints.", [{"key": "nvidia.com/gpu", "value": "present"}]),
    ] = ()
    zones: Annotated[tuple[NonEmpty, ...], doc("Zones it spans.", ["eu-west-1a"])] = ()
    region: Annotated[
        NonEmpty | None,
        doc("Its region, as in the label topology.kubernetes.io/region.", "eu-west-1"),
    ] = None
    architecture: Annotated[
        Literal["amd64", "arm64"], doc("CPU architecture of its nodes.", "arm64")
    ] = "amd64"
    capacity: Annotated[
        Literal["on-demand", "spot"],
        doc("Whether its nodes can be reclaimed at short notice.", "spot"),
    ] = "on-demand"
    notice: Annotated[
        Duration, doc("Notice before a spot node is taken away.", "30s", default="30s")
    ] = duration("30s")
    sharing: Annotated[
        Sharing | None,
        doc(
            "How its GPUs are shared. Only workloads that set `gpu.memory` and may share "
            "use a share; others do not use the pool.",
            {"mode": "time-slicing", "replicas": 4},
        ),
    ] = None
    rdma: Annotated[
        Rdma | None,
        doc(
            "The fabric between its nodes: a provider's by its `recipe`, or field by field.",
            {"recipe": "efa"},
            {"resource": "rdma/hca_shared_devices_a"},
        ),
    ] = None
    compute_domains: Annotated[
        bool,
        doc(
            "NVLink connects its nodes (GB200 NVL72), and NVIDIA's DRA driver creates the "
            "channels between them: workers that start together get a ComputeDomain, and "
            "stay in one clique."
        ),
    ] = False
    driver: Annotated[
        Version | None,
        doc(
            "NVIDIA driver version of its nodes, in quotes. With `gpuOperator`, the "
            "operator installs it: a pool with a newer version than the others is the "
            "canary. Default: `gpuOperator.driver.version`, or unknown.",
            "580.105.08",
        ),
    ] = None
    runtime_class: Annotated[
        ObjectName | None, doc("RuntimeClass that its GPU pods need.", "nvidia")
    ] = None
    local_disk: Annotated[
        bool | LocalDisk,
        doc(
            "Its nodes have fast local disks, such as NVMe, for volumes that request them "
            "(`localDisk`). `true`: their ephemeral storage is on them; or the folder "
            "where they are mounted.",
            {"path": "/mnt/nvme"},
        ),
    ] = False
    nodes: Annotated[
        Natural | NodeCount | None,
        doc("Current number of nodes, or bounds. Default: unknown.", 4, {"min": 0, "max": 16}),
    ] = None
    karpenter: Annotated[
        Karpenter | None,
        doc(
            "Karpenter provisions its nodes, by a NodePool of `cluster render`; `nodes` "
            "sets the bounds. Default: something else does.",
            {"nodeClass": {"name": "gpu"}},
        ),
    ] = None
    spare: Annotated[
        Natural,
        doc(
            "Slots reserved for rollouts: this many more pods than now are sure to fit, "
            "and a rollout may surge by them. 0: none.",
            1,
        ),
    ] = 0

    @property
    def other_resources(self) -> dict[str, int]:
        """The huge pages of a node in bytes, and its resources of other device plugins."""
        have = self.allocatable
        if have is None:
            return {}
        pages = {PAGES + size: amount.int_value for size, amount in have.hugepages.items()}
        return pages | have.extended

    @property
    def claimed(self) -> bool:
        """Whether pods request its GPUs by claims."""
        return self.gpu.dra is not None and self.gpu.dra.by == "claim"

    @property
    def names_profiles(self) -> bool:
        """Whether each MIG profile is requested by its own name, which is the only way with DRA."""
        mixed = self.sharing is not None and self.sharing.strategy == "mixed"
        return mixed or self.gpu.dra is not None

    @property
    def shared_gpus(self) -> int:
        """The number of partitioned or shared GPUs of a node."""
        if self.sharing is None:
            return 0
        return self.gpu.count if self.sharing.gpus is None else self.sharing.gpus

    @property
    def whole_gpus(self) -> int:
        """The number of GPUs of a node that are allocated whole."""
        return self.gpu.count - self.shared_gpus

    @property
    def all_zones(self) -> tuple[str, ...]:
        """Its zones, from the field or the label; empty if unknown."""
        label = self.labels.get(ZONE_LABEL)
        return self.zones or ((label,) if label else ())

    @property
    def its_region(self) -> str | None:
        """Its region, from the field or the label; None if unknown."""
        return self.region or self.labels.get(REGION_LABEL)

    @property
    def most_nodes(self) -> int | None:
        """Its maximum number of nodes; None if unknown."""
        return self.nodes.max if isinstance(self.nodes, NodeCount) else self.nodes

    @property
    def least_nodes(self) -> int | None:
        """Its minimum number of nodes; None if unknown."""
        return self.nodes.min if isinstance(self.nodes, NodeCount) else self.nodes
