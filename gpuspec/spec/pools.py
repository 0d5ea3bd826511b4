"""Pools of a cluster profile: nodes alike, and what each of them has."""

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
    count: Annotated[
        int,
        Meta(ge=1, le=MOST_GPUS),
        doc("GPUs per node. With `partition`, the devices that they become.", 8),
    ]
    resource: Annotated[
        NonEmpty, doc("Extended resource that the device plugin advertises.", "nvidia.com/gpu")
    ] = "nvidia.com/gpu"
    partition: Annotated[
        NonEmpty | None,
        doc(
            "How AMD's GPUs are partitioned, compute and memory: each becomes several devices with its "
            "part of the memory. Workloads get one by the memory that they declare. `resource` is "
            "amd.com/gpu under the device plugin's naming strategy `single`, amd.com/<partition> under "
            "`mixed`. Unset: whole GPUs.",
            "cpx_nps4",
        ),
    ] = None
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
    topology: Annotated[
        NonEmpty | None,
        doc(
            "How the chips of a TPU slice are arranged, as the label gke-tpu-topology says it; `count` "
            "are those of one host. Where a slice has several hosts, `nodes` are all of one slice, or "
            "of several. Unset: what that label in `labels` says.",
            "4x4",
        ),
    ] = None
    groups: Annotated[
        tuple[Natural, ...] | None,
        doc(
            "Numbers of the groups on its nodes that alone may open the device files of AMD's and "
            "Intel's GPUs, as `getent group render video` tells them; pods are in these groups. "
            "`[]`: anyone may open them. Unset: not known.",
            [44, 109],
        ),
    ] = None
    hugepages: Annotated[
        Quantity | None,
        doc(
            "hugepages-2Mi that a node has for the driver of its accelerators, in bytes (Gaudi); a "
            "pod asks for the part that goes with its own. Unset: none.",
            "95000Mi",
        ),
    ] = None
    dra: Annotated[
        Dra | None,
        doc(
            "A driver of Dynamic Resource Allocation hands them out. Unset: a device plugin does, as "
            "`resource`.",
            {"by": "claim"},
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
    hugepages: Annotated[
        dict[str, Quantity],
        doc(
            "Huge pages by their size, in bytes: all of them, those of the accelerators' driver and "
            "of the fabric's library too. Unset: only what these say.",
            {"2Mi": "64Gi"},
        ),
    ] = {}
    extended: Annotated[
        dict[str, Positive],
        doc(
            "Resources of other device plugins than those of `gpu` and `rdma`, by name.",
            {"smarter-devices/fuse": 20},
        ),
    ] = {}


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
            "Allocatable of one node. Unset: that of the smallest machine sold with this GPU.",
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
    model_label: Annotated[
        NonEmpty | None,
        doc(
            "Key of the one among `labels` that names the GPU model, where it is none that we know. "
            "Unset: a known one (`nvidia.com/gpu.product`, `cloud.google.com/gke-accelerator`, …), "
            "one of the kind of node (`node.kubernetes.io/instance-type`, a node pool's), or one "
            "whose value is a name of the model and of no other.",
            "example.com/gpu-name",
        ),
    ] = None
    taints: Annotated[
        tuple[Taint, ...],
        doc("Taints of its nodes.", [{"key": "nvidia.com/gpu", "value": "present"}]),
    ] = ()
    zones: Annotated[tuple[NonEmpty, ...], doc("Zones it spans.", ["eu-west-1a"])] = ()
    region: Annotated[
        NonEmpty | None,
        doc(
            "Region that it is in, as the label topology.kubernetes.io/region says it.", "eu-west-1"
        ),
    ] = None
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
        doc(
            "The fabric between its nodes: a provider's by its `recipe`, or field by field.",
            {"recipe": "efa"},
            {"resource": "rdma/hca_shared_devices_a"},
        ),
    ] = None
    compute_domains: Annotated[
        bool,
        doc(
            "NVLink joins its nodes (GB200 NVL72), and NVIDIA's DRA driver makes the channels between "
            "them: workers that start together get a ComputeDomain, and all keep to one clique."
        ),
    ] = False
    driver: Annotated[
        Version | None,
        doc(
            "Version of NVIDIA's driver on its nodes, in quotes. With `gpuOperator`, the operator "
            "installs it: a pool that has a newer one than the others is the canary. Unset: "
            "`gpuOperator.driver.version`, or not known.",
            "580.105.08",
        ),
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
    karpenter: Annotated[
        Karpenter | None,
        doc(
            "Karpenter makes its nodes, by a NodePool of `cluster render`; `nodes` bounds them. "
            "Unset: somebody else does.",
            {"nodeClass": {"name": "gpu"}},
        ),
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
    def other_resources(self) -> dict[str, int]:
        """Huge pages in bytes, and resources of other device plugins, that a node is said to have."""
        have = self.allocatable
        if have is None:
            return {}
        pages = {PAGES + size: amount.int_value for size, amount in have.hugepages.items()}
        return pages | have.extended

    @property
    def claimed(self) -> bool:
        """Whether pods ask for its GPUs by claims."""
        return self.gpu.dra is not None and self.gpu.dra.by == "claim"

    @property
    def names_profiles(self) -> bool:
        """Whether each MIG profile is asked for by a name of its own: DRA knows no other way."""
        mixed = self.sharing is not None and self.sharing.strategy == "mixed"
        return mixed or self.gpu.dra is not None

    @property
    def shared_gpus(self) -> int:
        """GPUs of a node that are cut or shared."""
        if self.sharing is None:
            return 0
        return self.gpu.count if self.sharing.gpus is None else self.sharing.gpus

    @property
    def whole_gpus(self) -> int:
        """GPUs of a node that are handed out whole."""
        return self.gpu.count - self.shared_gpus

    @property
    def all_zones(self) -> tuple[str, ...]:
        """The zones that it spans, by the field or the label; empty where nobody says."""
        label = self.labels.get(ZONE_LABEL)
        return self.zones or ((label,) if label else ())

    @property
    def its_region(self) -> str | None:
        """The region that it is in, by the field or the label; None where nobody says."""
        return self.region or self.labels.get(REGION_LABEL)

    @property
    def most_nodes(self) -> int | None:
        """The most nodes that it has; None where nobody says."""
        return self.nodes.max if isinstance(self.nodes, NodeCount) else self.nodes

    @property
    def least_nodes(self) -> int | None:
        """The nodes that it surely has; None where nobody says."""
        return self.nodes.min if isinstance(self.nodes, NodeCount) else self.nodes
