"""Queues of a cluster, as Kueue admits workloads by them, and the levels of its topology."""

from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelledName, LabelName, Natural, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class QueuePool(Model, kw_only=True):
    """What a queue may use of one pool."""

    pool: Annotated[NonEmpty, doc("Name of the pool.", "h100")]
    gpus: Annotated[
        Natural,
        doc(
            "GPUs that belong to the queue; of shared ones, with all their shares. CPU, memory, "
            "disk and fabric follow by the pool's share.",
            32,
        ),
    ]
    borrow: Annotated[
        Natural | None, doc("Most GPUs it borrows from its cohort. Unset: all that is lent.", 16)
    ] = None
    lend: Annotated[
        Natural | None, doc("Most GPUs it lends to its cohort. Unset: all that it has.", 16)
    ] = None


class Queue(Model, kw_only=True):
    """A ClusterQueue, and a LocalQueue of the same name in each of its namespaces."""

    name: Annotated[LabelledName, doc("Name; specs name it in `queue`.", "research")]
    namespaces: Annotated[
        tuple[LabelName, ...], doc("Namespaces whose workloads it admits.", ["research"])
    ]
    pools: Annotated[
        tuple[QueuePool, ...],
        doc("Pools in the order in which they are tried.", [{"pool": "h100", "gpus": 32}]),
    ]
    cohort: Annotated[
        ObjectName | None,
        doc("Queues of one cohort lend each other what they do not use. Unset: none.", "gpu"),
    ] = None
    weight: Annotated[
        Quantity | None,
        doc("Weight in fair sharing within the cohort. Unset: 1, as Kueue has it.", 2),
    ] = None
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
