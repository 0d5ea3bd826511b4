"""Queues of a cluster, as Kueue admits workloads by them."""

from typing import Annotated, Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelName, Natural, NonEmpty, ObjectName
from gpuspec.spec.types import Model, doc


class QueuePool(Model, kw_only=True):
    """What a queue may use of one pool."""

    pool: Annotated[NonEmpty, doc("Name of the pool.", "h100")]
    gpus: Annotated[
        Natural,
        doc(
            "GPUs (or shares, where they are shared) that belong to the queue. CPU, memory, disk "
            "and fabric follow by the pool's share.",
            32,
        ),
    ]
    borrow: Annotated[
        Natural | None, doc("GPUs it may borrow from its cohort. Unset: no limit.", 16)
    ] = None
    lend: Annotated[Natural | None, doc("GPUs it lends to its cohort. Unset: all.", 16)] = None


class Queue(Model, kw_only=True):
    """A ClusterQueue, and a LocalQueue of the same name in each of its namespaces."""

    name: Annotated[LabelName, doc("Name; specs name it in `queue`.", "research")]
    namespaces: Annotated[
        tuple[LabelName, ...], doc("Namespaces whose workloads it admits.", ["research"])
    ]
    pools: Annotated[tuple[QueuePool, ...], doc("Pools by preference, with their quota.")]
    cohort: Annotated[
        ObjectName | None, doc("Queues of one cohort lend each other what they do not use.", "gpu")
    ] = None
    weight: Annotated[Quantity | None, doc("Weight in fair sharing within the cohort.", 2)] = None
    preemption: Annotated[
        Literal["never", "lower-priority"],
        doc("Whether it takes back what it lent, and from lower priorities in itself."),
    ] = "lower-priority"
    order: Annotated[
        Literal["strict", "best-effort"],
        doc("`best-effort`: a small workload may pass a large one that does not fit yet."),
    ] = "best-effort"


class Topology(Model, kw_only=True):
    """Levels of closeness between nodes, as node label keys from the outermost to the innermost."""

    name: Annotated[ObjectName, doc("Name.", "default")] = "default"
    levels: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "Node label keys; the last may be kubernetes.io/hostname.",
            ["example.com/block", "example.com/rack", "kubernetes.io/hostname"],
        ),
    ]


class Queues(Model, kw_only=True):
    """Everything about queues."""

    queues: Annotated[tuple[Queue, ...], doc("The queues.")] = ()
    topology: Annotated[Topology | None, doc("Levels for topology-aware placement.")] = None
    priorities: Annotated[
        dict[str, int],
        doc("WorkloadPriorityClasses: name to value.", {"production": 1000, "experiment": 100}),
    ] = {}
