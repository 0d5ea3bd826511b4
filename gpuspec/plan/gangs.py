"""The system that starts pods together, and the system of a spec's queue.

The queue is Kueue's if Kueue is installed; otherwise it belongs to the scheduler of the profile's
GPU pods, if this has queues. Such a scheduler also starts pods together if it is configured to, or
recognises them. Some targets work with one system only. Kubernetes' own scheduler starts the pods
of a PodGroup together if the cluster has the feature on.

Sources: Volcano 1.15, pkg/controllers/podgroup; KAI Scheduler 0.20, pkg/podgrouper; Kubernetes
1.37, staging/src/k8s.io/api/scheduling/v1beta1, pkg/controller/job/job_scheduling_manager.go.
"""

import msgspec

from gpuspec.numbers import read_version
from gpuspec.plan.decision import from_spec
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target


class System(msgspec.Struct, frozen=True):
    """A system that starts pods together once all of them fit."""

    name: str
    component: str
    """The name in `installed` of profiles."""
    version: str
    """The version whose code was read."""
    scheduler: str = ""
    """The value of `schedulerName`; empty for a system that suspends objects for another
    scheduler."""
    least: str = ""
    """The annotation of a Job with the number of its pods that start together."""
    sees: bool = False
    """Whether it recognises the pods of other kinds that belong together."""


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
"""The name of the feature gate for PodGroups of `scheduling.k8s.io/v1beta1`."""


def system(resolution: Resolution, target: Target) -> System:
    """Return the system of a spec's `queue`; Kueue by default."""
    return VOLCANO if target.queues == "volcano" else of_cluster(resolution)


def of_cluster(resolution: Resolution) -> System:
    """Return the system for targets that work with any."""
    if KUEUE.component in resolution.profile.spec.installed:
        return KUEUE
    return scheduler(resolution) or KUEUE


def is_kueues(resolution: Resolution) -> bool:
    """Return whether a workload waits in a Kueue queue, which limits the total time of all its
    attempts."""
    return getattr(resolution.spec, "queue", None) is not None and of_cluster(resolution) is KUEUE


def scheduler(resolution: Resolution) -> System | None:
    """Return the scheduler of the profile's GPU pods, if it starts pods together."""
    spec = resolution.profile.spec
    return next(
        (
            gang_scheduler
            for gang_scheduler in _SCHEDULERS
            if gang_scheduler.scheduler == spec.scheduler
            and gang_scheduler.component in spec.installed
        ),
        None,
    )


def starter(resolution: Resolution, target: Target) -> System | None:
    """Return the scheduler that starts a gang of a target together; None if there is none."""
    if target.queues == "volcano":
        return VOLCANO
    gang_scheduler = scheduler(resolution)
    # Who looks at what owns all the rest does not know what is in it.
    if resolution.wrapped:
        return None
    if gang_scheduler is None:
        return KUBERNETES if target.counted and _has_pod_groups(resolution) else None
    return gang_scheduler if gang_scheduler.sees or target.counted else None


def _has_pod_groups(resolution: Resolution) -> bool:
    """Return whether Kubernetes' own scheduler starts pods together, without a queue before it."""
    spec = resolution.profile.spec
    is_installed = KUBERNETES.component in spec.installed and spec.scheduler is None
    has_release = read_version(spec.kubernetes) >= read_version(KUBERNETES.version)
    return is_installed and has_release and getattr(resolution.spec, "queue", None) is None


def annotations(resolution: Resolution, target: Target) -> NodeMap:
    """Return the annotations with the number of pods of a Job that start together."""
    gang_starter = starter(resolution, target)
    if (
        gang_starter is None
        or not gang_starter.least
        or resolution.workers == 1
        or resolution.workers_path is None
    ):
        return {}
    why = f"{gang_starter.name} starts all of them together, or none"
    return {gang_starter.least: from_spec(resolution.workers_path, str(resolution.workers), why)}
