"""The fabric between a pool's nodes, and what a pod must have to use it."""

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
    """Reasons in writing for what a fabric takes from Pod Security; they become annotations of pods."""

    root: Annotated[
        NonEmpty | None, doc("Why its daemon runs as root.", "the daemon programs the adapters")
    ] = None
    writable_root: Annotated[
        NonEmpty | None,
        doc(
            "Why its daemon may write to its own root.", "the daemon's script writes beside itself"
        ),
    ] = None
    host_path: Annotated[
        NonEmpty | None,
        doc("Why folders of the node are mounted.", "NCCL's plugin is installed on the node"),
    ] = None
    capabilities: Annotated[
        NonEmpty | None,
        doc("Why containers have capabilities.", "the daemon steers flows of the adapters"),
    ] = None
    host_network: Annotated[
        NonEmpty | None,
        doc("Why pods are on their node's network.", "the adapters are the node's alone"),
    ] = None
    privileged: Annotated[
        NonEmpty | None,
        doc("Why the main container is privileged.", "no device plugin hands the adapters in"),
    ] = None


class Rdma(Model):
    """The fabric between a pool's nodes, and what a pod must have to use it."""

    recipe: Annotated[
        Recipe | None,
        doc(
            "A provider's fabric, from which follows what its pods must have. Fields beside it win "
            "over the recipe's.",
            "gke-tcpxo",
        ),
    ] = None
    resource: Annotated[
        NonEmpty | None,
        doc(
            "Extended resource of the fabric's devices; needed without a `recipe`.",
            "rdma/hca_shared_devices_a",
        ),
    ] = None
    count: Annotated[
        Positive | None,
        doc(
            "How many devices a pod asks for; of a whole node with `perGpu`. Unset: as many as the "
            "recipe's machine has, else 1.",
            8,
        ),
    ] = None
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
            "RDMA needs `unlimited` here, or workloads that run as root with `waivers.root` and a "
            "reason in `capabilities`.",
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
    daemon_image: Annotated[
        NonEmpty | None,
        doc(
            "Image of the recipe's daemon, best with its digest. Unset: the release that the recipe "
            "knows.",
            "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21",
        ),
    ] = None
    waivers: Annotated[
        FabricWaivers,
        doc(
            "Why its pods may have what the fabric takes from Pod Security `restricted`: a reason "
            "for each. A workload may give them in its own `waivers` instead.",
            {"hostPath": "NCCL's plugin for gIB lies on the node"},
        ),
    ] = FabricWaivers()

    @property
    def amount(self) -> int:
        """How many devices of `resource`."""
        return 1 if self.count is None else self.count

    @property
    def devices(self) -> dict[str, int]:
        """How many of each extended resource, as `count` is counted."""
        main = {} if self.resource is None else {self.resource: self.amount}
        return main | self.resources

    @property
    def known_recipe(self) -> hardware.Recipe | None:
        """The row of its recipe."""
        return None if self.recipe is None else hardware.recipes()[self.recipe]

    @property
    def known_fabric(self) -> hardware.Fabric | None:
        """The kind of fabric, by the recipe or else by the resource; None for one of one's own."""
        if (recipe := self.known_recipe) is not None:
            return next(each for each in hardware.fabrics() if each.name == recipe.fabric)
        return None if self.resource is None else hardware.fabric(self.resource)

    @property
    def title(self) -> str:
        """What a sentence calls it: its devices, or its recipe."""
        return self.resource or str(self.recipe)
