"""Who starts pods that work together, and whose queue a spec names.

Kueue's wherever it is installed; without it that of the scheduler of the profile's GPU pods, where it
is one with queues. Such a scheduler starts pods together too, where it is told or sees which are.
Some targets have one system alone, whatever else is installed. Kubernetes' own scheduler starts the
pods of a PodGroup together, where the cluster has switched that on.

Sources: Volcano 1.15, pkg/controllers/podgroup; KAI Scheduler 0.20, pkg/podgrouper; Kubernetes 1.37,
staging/src/k8s.io/api/scheduling/v1beta1, pkg/controller/job/job_scheduling_manager.go.
"""

import msgspec

from gpuspec.numbers import read_version
from gpuspec.plan.decision import from_spec
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target


class System(msgspec.Struct, frozen=True):
    """What starts pods together once there is room for all of them."""

    name: str
    component: str
    """As profiles list it in `installed`."""
    version: str
    """The one whose code was read."""
    scheduler: str = ""
    """What pods call it in `schedulerName`; empty where it holds objects back for another."""
    least: str = ""
    """The annotation of a Job by which it knows how many of its pods to start together."""
    sees: bool = False
    """Whether it knows the pods of other kinds that belong together."""


KUEUE = System("Kueue", "kueue", "0.19")
VOLCANO = System(
    "Volcano", "volcano", "1.15", "volcano", least="scheduling.volcano.sh/group-min-member"
)
KAI = System(
    "KAI",
    "kai-scheduler",
    "0.20",
    "kai-scheduler",
    least="kai.scheduler/batch-min-member",
    sees=True,
)
_SCHEDULERS = (VOLCANO, KAI)
KUBERNETES = System("Kubernetes", "generic-workload", "1.37")
"""By the name of the feature gate, which brings PodGroups of `scheduling.k8s.io/v1beta1`."""


def system(resolution: Resolution, target: Target) -> System:
    """Return whose queue the `queue` of a spec is; Kueue's, too, where there is nobody's."""
    return VOLCANO if target.queues == "volcano" else of_cluster(resolution)


def of_cluster(resolution: Resolution) -> System:
    """Return the same for targets that any system queues."""
    if KUEUE.component in resolution.profile.spec.installed:
        return KUEUE
    return scheduler(resolution) or KUEUE


def is_kueues(resolution: Resolution) -> bool:
    """Return whether a workload waits in a queue of Kueue, which bounds the time of all its tries
    together."""
    return getattr(resolution.spec, "queue", None) is not None and of_cluster(resolution) is KUEUE


def scheduler(resolution: Resolution) -> System | None:
    """Return the scheduler of the profile's GPU pods, where it is one that starts pods together."""
    spec = resolution.profile.spec
    return next(
        (
            one
            for one in _SCHEDULERS
            if one.scheduler == spec.scheduler and one.component in spec.installed
        ),
        None,
    )


def starter(resolution: Resolution, target: Target) -> System | None:
    """Return the scheduler that starts a gang of a target together; None where none does."""
    if target.queues == "volcano":
        return VOLCANO
    found = scheduler(resolution)
    # Who looks at what owns all the rest does not know what is in it.
    if resolution.wrapped:
        return None
    if found is None:
        return KUBERNETES if target.counted and _has_pod_groups(resolution) else None
    return found if found.sees or target.counted else None


def _has_pod_groups(resolution: Resolution) -> bool:
    """Return whether Kubernetes' own scheduler starts pods together, and no queue does it
    before."""
    spec = resolution.profile.spec
    there = KUBERNETES.component in spec.installed and spec.scheduler is None
    known = read_version(spec.kubernetes) >= read_version(KUBERNETES.version)
    return there and known and getattr(resolution.spec, "queue", None) is None


def annotations(resolution: Resolution, target: Target) -> NodeMap:
    """Return what tells the scheduler of a Job how many pods belong together."""
    found = starter(resolution, target)
    if (
        found is None
        or not found.least
        or resolution.workers == 1
        or resolution.workers_path is None
    ):
        return {}
    why = f"{found.name} starts all of them together, or none"
    return {found.least: from_spec(resolution.workers_path, str(resolution.workers), why)}
