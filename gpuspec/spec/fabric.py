"""The fabric between a pool's nodes, and the needs of pods that use it."""

from typing import Literal

from gpuspec import hardware
from gpuspec.manifests import Quantity
from gpuspec.spec.forms import NonEmpty, ObjectName, Positive
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc

# As in the hardware's table, which is not read when a spec is: a test holds the two together.
Recipe = Literal[
    "aks-ib",
    "aks-shared-ib",
    "coreweave-ib",
    "coreweave-roce",
    "efa",
    "gke-rdma",
    "gke-rdma-image",
    "gke-tcpx",
    "gke-tcpxo",
    "host-network",
    "nebius-ib",
    "oke-vf",
]


class FabricWaivers(Model):
    """Reasons for the exceptions from Pod Security that a fabric needs; they become annotations of
    pods."""

    root: Annotated[
        NonEmpty | None,
        doc("Reason for its daemon to run as root.", "the daemon programs the adapters"),
    ] = None
    writable_root: Annotated[
        NonEmpty | None,
        doc(
            "Reason for its daemon to write to its root file system.",
            "the daemon's script writes beside itself",
        ),
    ] = None
    host_path: Annotated[
        NonEmpty | None,
        doc("Reason to mount folders of the node.", "NCCL's plugin is installed on the node"),
    ] = None
    capabilities: Annotated[
        NonEmpty | None,
        doc("Reason to add capabilities.", "the daemon steers flows of the adapters"),
    ] = None
    host_network: Annotated[
        NonEmpty | None,
        doc("Reason to use the node's network.", "the adapters are the node's alone"),
    ] = None
    privileged: Annotated[
        NonEmpty | None,
        doc(
            "Reason to make the main container privileged.",
            "no device plugin hands the adapters in",
        ),
    ] = None


class Rdma(Model):
    """The fabric between a pool's nodes, and the needs of pods that use it."""

    recipe: Annotated[
        Recipe | None,
        doc(
            "A provider's fabric, which determines what its pods need. Other fields here "
            "override the recipe's.",
            "gke-tcpxo",
        ),
    ] = None
    resource: Annotated[
        NonEmpty | None,
        doc(
            "Extended resource of the fabric's devices; required without a `recipe`.",
            "rdma/hca_shared_devices_a",
        ),
    ] = None
    count: Annotated[
        Positive | None,
        doc(
            "Devices that a pod requests; with `perGpu`, those of a whole node. Default: "
            "what the recipe's machine has, otherwise 1.",
            8,
        ),
    ] = None
    per_gpu: Annotated[
        bool,
        doc(
            "`count` is per node, and a pod requests its GPUs' share. Default: every pod "
            "requests `count`."
        ),
    ] = False
    resources: Annotated[
        dict[str, Positive],
        doc(
            "More extended resources that a pod must request, if the fabric has several; "
            "counted like `count`.",
            {"networking.gke.io.networks/rdma-1": 1, "networking.gke.io.networks/rdma-1.IP": 1},
        ),
    ] = {}
    memlock: Annotated[
        Literal["unlimited", "limited"],
        doc(
            "Memlock limit set by the container runtime. Restricted pods cannot add "
            "IPC_LOCK, so RDMA needs `unlimited` here, or workloads that run as root with "
            "`waivers.root` and a reason in `capabilities`.",
            "unlimited",
        ),
    ] = "unlimited"
    env: Annotated[
        Labels,
        doc(
            "NCCL and fabric settings for pods that use it. They override gpuspec's own "
            "for this kind of fabric; the workload's override both.",
            {"NCCL_IB_HCA": "mlx5"},
        ),
    ] = {}
    hugepages: Annotated[
        Quantity | None,
        doc(
            "hugepages-2Mi that the fabric library needs, in bytes (EFA). Default: none.", "5120Mi"
        ),
    ] = None
    networks: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Networks that Multus attaches to a pod, one per device: `name`, "
            "`namespace/name`, or either with `@interface`. With `perGpu`, those of a "
            "whole node.",
            ["fabric/rail"],
        ),
    ] = ()
    interfaces: Annotated[
        dict[str, ObjectName],
        doc(
            "GKE's additional interfaces of a pod, each with its Network. They belong to a "
            "whole node, so pods with fewer GPUs than a node get none.",
            {"eth2": "rdma-0", "eth3": "rdma-1"},
        ),
    ] = {}
    annotations: Annotated[
        Labels,
        doc(
            "More annotations of pods that use the fabric, if something else attaches them.",
            {"cni.example.com/rail": "all"},
        ),
    ] = {}
    domain: Annotated[
        NonEmpty | None,
        doc(
            "Node label whose equal values mean closeness on the fabric: a block, a leaf "
            "switch, an NVLink domain. Workers of one Job then prefer to share a value.",
            "cloud.google.com/gce-topology-block",
        ),
    ] = None
    daemon_image: Annotated[
        NonEmpty | None,
        doc(
            "Image of the recipe's daemon, preferably with its digest. Default: the "
            "recipe's known release.",
            "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
        ),
    ] = None
    waivers: Annotated[
        FabricWaivers,
        doc(
            "Reasons for what the fabric needs beyond Pod Security `restricted`, one for "
            "each. A workload may give them in its own `waivers` instead.",
            {"hostPath": "NCCL's plugin for gIB lies on the node"},
        ),
    ] = FabricWaivers()

    @property
    def amount(self) -> int:
        """The number of devices of `resource`."""
        return 1 if self.count is None else self.count

    @property
    def devices(self) -> dict[str, int]:
        """The amount of each extended resource, counted like `count`."""
        main = {} if self.resource is None else {self.resource: self.amount}
        return main | self.resources

    @property
    def known_recipe(self) -> hardware.Recipe | None:
        """The row of its recipe."""
        return None if self.recipe is None else hardware.recipes()[self.recipe]

    @property
    def known_fabric(self) -> hardware.Fabric | None:
        """The known fabric, by the recipe or else by the resource; None for a custom one."""
        if (recipe := self.known_recipe) is not None:
            return next(fabric for fabric in hardware.fabrics() if fabric.name == recipe.fabric)
        return None if self.resource is None else hardware.fabric(self.resource)

    @property
    def title(self) -> str:
        """Its name in sentences: its devices, or its recipe."""
        return self.resource or str(self.recipe)
