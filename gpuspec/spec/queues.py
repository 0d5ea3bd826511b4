"""Queues of a cluster, as Kueue admits workloads by them, and the levels of its topology."""

from collections.abc import Iterable
from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelledName, LabelName, Natural, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class QueuePool(Model, kw_only=True):
    """What a queue or a cohort has of one pool."""

    pool: Annotated[NonEmpty, doc("Name of the pool.", "h100")]
    gpus: Annotated[
        Natural,
        doc(
            "GPUs that belong to the queue; of shared ones, with all their shares. CPU, memory, "
            "disk and fabric follow by the pool's share. Of a cohort: GPUs that all below it share.",
            32,
        ),
    ]
    quotas: Annotated[
        dict[str, Quantity],
        doc(
            "Amounts of other resources than GPUs, in place of what follows from `gpus`: `cpu`, "
            "`memory`, `ephemeral-storage`, `pods`, the fabric's, or any that pods ask for.",
            {"cpu": 400, "memory": "4Ti", "pods": 200},
        ),
    ] = {}
    borrow: Annotated[
        Natural | None, doc("Most GPUs it borrows from its cohort. Unset: all that is lent.", 16)
    ] = None
    lend: Annotated[
        Natural | None, doc("Most GPUs it lends to its cohort. Unset: all that it has.", 16)
    ] = None


class AdmissionCheck(Model, kw_only=True):
    """What else has to agree before a workload starts: one of `admissionChecks`, or made elsewhere."""

    name: Annotated[ObjectName, doc("Name of the AdmissionCheck.", "provisioning")]
    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Pools of the queue that it is asked about. Empty: every one.", ["h100"]),
    ] = ()


class Queue(Model, kw_only=True):
    """A ClusterQueue, and a LocalQueue in each of its namespaces."""

    name: Annotated[
        LabelledName, doc("Name of its LocalQueues; specs name it in `queue`.", "research")
    ]
    cluster_queue: Annotated[
        ObjectName | None,
        doc("Name of the ClusterQueue. Unset: the same as `name`.", "research-gpus"),
    ] = None
    existing: Annotated[
        bool,
        doc(
            "It is made elsewhere: `cluster render` makes neither the ClusterQueue nor its "
            "LocalQueues. Without `pools`, what it has is not known, and not checked."
        ),
    ] = False
    namespaces: Annotated[
        tuple[LabelName, ...], doc("Namespaces whose workloads it admits.", ["research"])
    ]
    pools: Annotated[
        tuple[QueuePool, ...],
        doc(
            "Pools in the order in which they are tried. A queue that is made here has some.",
            [{"pool": "h100", "gpus": 32}],
        ),
    ] = ()
    cohort: Annotated[
        ObjectName | None,
        doc("Queues of one cohort lend each other what they do not use. Unset: none.", "gpu"),
    ] = None
    weight: Annotated[
        Quantity | None,
        doc("Weight in fair sharing within the cohort. Unset: 1, as Kueue has it.", 2),
    ] = None
    admission_checks: Annotated[
        tuple[AdmissionCheck, ...],
        doc(
            "What else has to agree before a workload starts, once there is quota for it.",
            [{"name": "provisioning"}],
        ),
    ] = ()
    preemption: Annotated[
        Literal["lower-priority", "never"],
        doc(
            "`lower-priority`: a workload may take the place of one of lower priority in its own "
            "queue, and what was lent is taken back when it is needed. `never`: neither."
        ),
    ] = "lower-priority"
    order: Annotated[
        Literal["best-effort", "strict"],
        doc(
            "`best-effort`: a workload may pass one that does not fit yet. `strict`: none does, so "
            "that a large one is never starved by small ones."
        ),
    ] = "best-effort"

    @property
    def cluster(self) -> str:
        """The name of the ClusterQueue."""
        return self.cluster_queue or self.name


def find_queue(queues: Iterable[Queue], name: str | None, namespace: str) -> Queue | None:
    """The queue of a name that admits from a namespace; an empty one may be any."""
    named = (queue for queue in queues if queue.name == name)
    return next((queue for queue in named if namespace in ("", *queue.namespaces)), None)


class Cohort(Model, kw_only=True):
    """A cohort with limits, a weight, GPUs of its own, or a cohort above it."""

    name: Annotated[ObjectName, doc("Name; queues and cohorts below name it.", "gpu")]
    parent: Annotated[
        ObjectName | None,
        doc("The cohort above, of which it borrows and to which it lends. Unset: none.", "all"),
    ] = None
    pools: Annotated[
        tuple[QueuePool, ...],
        doc(
            "GPUs that all below it share, beside the queues' own, and how many pass between it "
            "and its `parent`.",
            [{"pool": "h100", "gpus": 0, "borrow": 16}],
        ),
    ] = ()
    weight: Annotated[
        Quantity | None,
        doc("Weight in fair sharing below its `parent`. Unset: 1, as Kueue has it.", 2),
    ] = None


class TopologyLevel(Model, kw_only=True):
    """One level of closeness between nodes."""

    name: Annotated[LabelName, doc("Name; specs name it in `topology.level`.", "rack")]
    label: Annotated[
        NonEmpty, doc("Node label whose equal values mean the same place.", "example.com/rack")
    ]


class Topology(Model, kw_only=True):
    """Where nodes stand to each other, so that workers can be kept close."""

    name: Annotated[ObjectName, doc("Name of the Topology object.", "default")] = "default"
    levels: Annotated[
        tuple[TopologyLevel, ...],
        doc(
            "From the widest to the closest.",
            [
                {"name": "block", "label": "example.com/block"},
                {"name": "rack", "label": "example.com/rack"},
                {"name": "host", "label": "kubernetes.io/hostname"},
            ],
        ),
    ]
    pools: Annotated[
        tuple[NonEmpty, ...],
        doc("Pools whose nodes have these labels. Empty: every pool.", ["h100"]),
    ] = ()

    def covers(self, pool: str) -> bool:
        """Whether the nodes of a pool have the labels."""
        return not self.pools or pool in self.pools
