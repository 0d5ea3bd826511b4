"""Queues of a cluster, through which Kueue admits workloads, and the levels of its topology."""

from collections.abc import Iterable
from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelledName, LabelName, Natural, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class QueuePool(Model, kw_only=True):
    """The share of a queue or cohort in one pool."""

    pool: Annotated[NonEmpty, doc("Name of the pool.", "h100")]
    gpus: Annotated[
        Natural,
        doc(
            "GPUs that belong to the queue, with all shares if they are shared. CPU, "
            "memory, disk and fabric follow by the pool's share. For a cohort: GPUs that "
            "all its members share.",
            32,
        ),
    ]
    quotas: Annotated[
        dict[str, Quantity],
        doc(
            "Amounts of other resources, instead of those that follow from `gpus`: `cpu`, "
            "`memory`, `ephemeral-storage`, `pods`, the fabric's, or any that pods request.",
            {"cpu": 400, "memory": "4Ti", "pods": 200},
        ),
    ] = {}
    borrow: Annotated[
        Natural | None,
        doc("Maximum number of GPUs to borrow from the cohort. Default: unlimited.", 16),
    ] = None
    lend: Annotated[
        Natural | None, doc("Maximum number of GPUs to lend to the cohort. Default: all.", 16)
    ] = None


class AdmissionCheck(Model, kw_only=True):
    """An admission check that must pass before a workload starts: one of `admissionChecks`, or
    defined elsewhere."""

    name: Annotated[ObjectName, doc("Name of the AdmissionCheck.", "provisioning")]
    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Pools of the queue that the check applies to. Empty: all.", ["h100"]),
    ] = ()


class Queue(Model, kw_only=True):
    """A ClusterQueue, and a LocalQueue in each of its namespaces."""

    name: Annotated[
        LabelledName, doc("Name of its LocalQueues; specs use it in `queue`.", "research")
    ]
    cluster_queue: Annotated[
        ObjectName | None,
        doc("Name of the ClusterQueue. Default: `name`.", "research-gpus"),
    ] = None
    existing: Annotated[
        bool,
        doc(
            "It is created elsewhere: `cluster render` creates neither the ClusterQueue "
            "nor its LocalQueues. Without `pools`, its quota is unknown and not checked."
        ),
    ] = False
    namespaces: Annotated[
        tuple[LabelName, ...], doc("Namespaces whose workloads it admits.", ["research"])
    ]
    pools: Annotated[
        tuple[QueuePool, ...],
        doc(
            "Pools in the order in which they are tried. Required for a queue that is "
            "created here.",
            [{"pool": "h100", "gpus": 32}],
        ),
    ] = ()
    cohort: Annotated[
        ObjectName | None,
        doc("Queues of one cohort lend each other unused quota. Default: none.", "gpu"),
    ] = None
    weight: Annotated[
        Quantity | None,
        doc("Weight in fair sharing within the cohort. Default: 1, as in Kueue.", 2),
    ] = None
    admission_checks: Annotated[
        tuple[AdmissionCheck, ...],
        doc(
            "Checks that must pass after quota is reserved, before a workload starts.",
            [{"name": "provisioning"}],
        ),
    ] = ()
    preemption: Annotated[
        Literal["lower-priority", "never"],
        doc(
            "`lower-priority`: a workload may preempt one of lower priority in its own "
            "queue, and lent quota is reclaimed when needed. `never`: neither."
        ),
    ] = "lower-priority"
    order: Annotated[
        Literal["best-effort", "strict"],
        doc(
            "`best-effort`: a workload may overtake one that does not fit yet. `strict`: "
            "none may, so that small ones never starve a large one."
        ),
    ] = "best-effort"

    @property
    def cluster(self) -> str:
        """The name of the ClusterQueue."""
        return self.cluster_queue or self.name


def find_queue(queues: Iterable[Queue], name: str | None, namespace: str) -> Queue | None:
    """Return the queue with a name that admits from a namespace; an empty namespace matches any."""
    namesakes = (queue for queue in queues if queue.name == name)
    return next((queue for queue in namesakes if namespace in ("", *queue.namespaces)), None)


class Cohort(Model, kw_only=True):
    """A cohort with limits, a weight, GPUs of its own, or a parent cohort."""

    name: Annotated[ObjectName, doc("Name; queues and child cohorts use it.", "gpu")]
    parent: Annotated[
        ObjectName | None,
        doc(
            "The parent cohort, from which it borrows and to which it lends. Default: none.", "all"
        ),
    ] = None
    pools: Annotated[
        tuple[QueuePool, ...],
        doc(
            "GPUs shared by all its members, in addition to the queues' own, and limits on "
            "borrowing from and lending to its `parent`.",
            [{"pool": "h100", "gpus": 0, "borrow": 16}],
        ),
    ] = ()
    weight: Annotated[
        Quantity | None,
        doc("Weight in fair sharing within its `parent`. Default: 1, as in Kueue.", 2),
    ] = None


class TopologyLevel(Model, kw_only=True):
    """One level of closeness between nodes."""

    name: Annotated[LabelName, doc("Name; specs use it in `topology.level`.", "rack")]
    label: Annotated[
        NonEmpty, doc("Node label whose equal values mean the same domain.", "example.com/rack")
    ]


class Topology(Model, kw_only=True):
    """The topology of nodes, by which workers can be kept close together."""

    name: Annotated[ObjectName, doc("Name of the Topology object.", "default")] = "default"
    levels: Annotated[
        tuple[TopologyLevel, ...],
        doc(
            "From the widest level to the narrowest.",
            [
                {"name": "block", "label": "example.com/block"},
                {"name": "rack", "label": "example.com/rack"},
                {"name": "host", "label": "kubernetes.io/hostname"},
            ],
        ),
    ]
    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Pools whose nodes have these labels. Empty: all.", ["h100"]),
    ] = ()

    def covers(self, pool: str) -> bool:
        """Return whether the nodes of a pool have the labels."""
        return not self.pools or pool in self.pools
