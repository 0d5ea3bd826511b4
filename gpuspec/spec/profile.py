"""The cluster profile: what the team that owns the nodes says about them."""

from typing import Annotated, Literal

import msgspec

from gpuspec.manifests import Quantity
from gpuspec.spec.common import API_VERSION, Labels, Metadata
from gpuspec.spec.types import Duration, Model, doc, duration, quantity

Provider = Literal["none", "gke", "eks", "eks-auto", "aks", "coreweave"]


class PoolGpu(Model):
    """The GPUs of one node of a pool."""

    model: Annotated[str, doc("GPU model; one name of the hardware table.", "H100-80GB")]
    count: Annotated[int, doc("GPUs per node.", 8, minimum=1)]
    resource: Annotated[
        str, doc("Extended resource that the device plugin advertises.", "nvidia.com/gpu")
    ] = "nvidia.com/gpu"


class HostResources(Model):
    """Host resources of one node."""

    cpu: Annotated[Quantity, doc("Cores.", 190)]
    memory: Annotated[Quantity, doc("Memory.", "1900Gi")]
    ephemeral_storage: Annotated[Quantity | None, doc("Local disk for pods.", "3500Gi")] = None
    pods: Annotated[int, doc("Pod slots.", 110, minimum=1)] = 110


class ReservedResources(Model):
    """What DaemonSets take of a node's allocatable."""

    cpu: Annotated[Quantity, doc("Cores.", 2, default="1")] = quantity("1")
    memory: Annotated[Quantity, doc("Memory.", "8Gi", default="4Gi")] = quantity("4Gi")
    ephemeral_storage: Annotated[Quantity, doc("Local disk.", "20Gi", default="10Gi")] = quantity(
        "10Gi"
    )


class Taint(Model):
    """A taint of the pool's nodes."""

    key: Annotated[str, doc("Key.", "nvidia.com/gpu")]
    value: Annotated[str, doc("Value; may be empty.", "present")] = ""
    effect: Annotated[Literal["NoSchedule", "NoExecute", "PreferNoSchedule"], doc("Effect.")] = (
        "NoSchedule"
    )


class Rdma(Model):
    """The RDMA fabric of a pool, and what a pod must ask for to use it."""

    resource: Annotated[
        str, doc("Extended resource of the fabric's devices.", "rdma/hca_shared_devices_a")
    ]
    count: Annotated[
        int, doc("How many a pod asks for when it takes a whole node.", 1, minimum=1)
    ] = 1
    per_gpu: Annotated[
        bool, doc("`count` is for the whole node and is divided by the share of its GPUs.")
    ] = False
    memlock: Annotated[
        Literal["unlimited", "limited"],
        doc(
            "Lock limit that the container runtime gives. Restricted pods cannot add IPC_LOCK, so "
            "RDMA needs `unlimited` here.",
        ),
    ] = "unlimited"
    env: Annotated[Labels, doc("NCCL and fabric settings.", {"NCCL_IB_HCA": "mlx5"})] = {}
    hugepages: Annotated[
        Quantity | None, doc("hugepages-2Mi that the fabric library needs (EFA).", "5120Mi")
    ] = None


class NodeCount(Model, kw_only=True):
    """Bounds between which an autoscaler moves the pool."""

    min: Annotated[int, doc("Fewest nodes.", 0, minimum=0)] = 0
    max: Annotated[int, doc("Most nodes.", 16, minimum=1)]


class Pool(Model):
    """Nodes alike: same GPUs, same size, same labels and taints."""

    name: Annotated[str, doc("Name of the pool, for people.", "h100")]
    gpu: Annotated[PoolGpu, doc("The GPUs of one node.")]
    allocatable: Annotated[
        HostResources | None,
        doc("Allocatable of one node. Unset: the least of the common machines with this GPU."),
    ] = None
    reserved: Annotated[ReservedResources, doc("What DaemonSets take of it.")] = msgspec.field(
        default_factory=ReservedResources
    )
    labels: Annotated[Labels, doc("Labels of its nodes.")] = {}
    taints: Annotated[tuple[Taint, ...], doc("Taints of its nodes.")] = ()
    zones: Annotated[tuple[str, ...], doc("Zones it spans.", ["eu-west-1a"])] = ()
    architecture: Annotated[Literal["amd64", "arm64"], doc("CPU architecture.")] = "amd64"
    capacity: Annotated[
        Literal["on-demand", "spot"], doc("Whether its nodes can be taken away at short notice.")
    ] = "on-demand"
    notice: Annotated[
        Duration, doc("Notice before a spot node is taken away.", "30s", default="30s")
    ] = duration("30s")
    rdma: Annotated[Rdma | None, doc("Its RDMA fabric.")] = None
    runtime_class: Annotated[str | None, doc("RuntimeClass its GPU pods need.", "nvidia")] = None
    nodes: Annotated[int | NodeCount | None, doc("Nodes now, or bounds.", 4)] = None
    spare: Annotated[
        int,
        doc(
            "Slots promised to rollouts: pods of a shape that are sure to find room.", 1, minimum=0
        ),
    ] = 0


class Bandwidths(Model):
    """Bytes per second, as quantities; start-up budgets follow from them."""

    download: Annotated[Quantity | None, doc("From the model hub, per pod.", "200Mi")] = None
    default: Annotated[Quantity | None, doc("From volumes whose claim is not listed.", "500Mi")] = (
        None
    )
    claims: Annotated[
        dict[str, Quantity],
        doc("From a PersistentVolumeClaim, by its name.", {"weights": "2Gi"}),
    ] = {}


class Metrics(Model):
    """Where the autoscaler's custom metrics come from."""

    source: Annotated[
        Literal["custom-metrics"],
        doc("`custom-metrics`: an adapter that serves custom.metrics.k8s.io."),
    ]
    names: Annotated[
        Labels,
        doc(
            "How the adapter names a server's series, where it renames them.",
            {"vllm:num_requests_waiting": "vllm_num_requests_waiting"},
        ),
    ] = {}


class Peer(Model):
    """Pods that may talk to a server: by namespace, by pod labels, or both."""

    namespace: Annotated[str | None, doc("Namespace, by name.", "gateway")] = None
    pods: Annotated[Labels, doc("Labels of the pods.", {"app": "gateway"})] = {}


class Egress(Model):
    """What a server may reach, besides DNS and, when it downloads, HTTPS."""

    namespace: Annotated[str | None, doc("Namespace, by name.", "storage")] = None
    cidr: Annotated[str | None, doc("Addresses.", "10.0.0.0/8")] = None
    ports: Annotated[tuple[int, ...], doc("Ports; empty means all.", [443])] = ()


class Network(Model):
    """Peers that network policies must let through. Unset: no policy is rendered."""

    ingress: Annotated[tuple[Peer, ...], doc("Who may call a server.")]
    metrics: Annotated[tuple[Peer, ...], doc("Who may scrape it.")] = ()
    egress: Annotated[tuple[Egress, ...], doc("What it may reach.")] = ()


class Namespace(Model):
    """A namespace and the Pod Security level that its labels enforce."""

    name: Annotated[str, doc("Name.", "serving")]
    pod_security: Annotated[
        Literal["privileged", "baseline", "restricted"], doc("Enforced level.")
    ] = "restricted"


class Priorities(Model):
    """PriorityClasses of the cluster, by the names that specs use."""

    names: Annotated[Labels, doc("Spec's name to PriorityClass.", {"batch": "gpu-batch"})] = {}
    training: Annotated[str | None, doc("Default for Training and FineTune.")] = None
    batch_inference: Annotated[str | None, doc("Default for BatchInference.")] = None
    inference: Annotated[str | None, doc("Default for Inference.")] = None
    placeholder: Annotated[
        str | None,
        doc("PriorityClass of a negative value, for warm placeholders.", "gpu-placeholder"),
    ] = None


class ClusterProfileSpec(Model):
    """A cluster as workloads see it."""

    kubernetes: Annotated[
        str, doc("Version of its API server, `major.minor`.", "1.36", pattern=r"^1\.[0-9]{2}$")
    ]
    provider: Annotated[
        Provider,
        doc(
            "Who runs it. Decides which labels name a GPU model where a pool has none, and who "
            "adds tolerations.",
        ),
    ] = "none"
    pools: Annotated[tuple[Pool, ...], doc("Its GPU pools.")] = ()
    installed: Annotated[
        Labels,
        doc("What is installed, with versions.", {"kueue": "0.19", "prometheus-adapter": "0.12"}),
    ] = {}
    namespaces: Annotated[tuple[Namespace, ...], doc("Namespaces and their level.")] = ()
    bandwidth: Annotated[Bandwidths, doc("How fast weights can be read.")] = Bandwidths()
    metrics: Annotated[
        Metrics | None, doc("Where autoscaling metrics come from. Unset: no autoscaler is made.")
    ] = None
    network: Annotated[Network | None, doc("Peers of model servers.")] = None
    priorities: Annotated[Priorities, doc("PriorityClasses.")] = Priorities()
    image_pull_secrets: Annotated[
        tuple[str, ...], doc("Registry Secrets that every namespace has.")
    ] = ()
    scheduler: Annotated[
        str | None, doc("schedulerName of GPU pods. Unset: the default scheduler.")
    ] = None


class ClusterProfile(Model, tag_field="kind", tag="ClusterProfile"):
    """What the nodes of one cluster are, written by the team that owns them."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name of the profile.")]
    spec: Annotated[ClusterProfileSpec, doc("The cluster.")]
