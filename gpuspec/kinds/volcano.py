"""Volcano (1.15). Sources: its CRDs and webhooks."""

from gpuspec.kinds.model import Kept, Kind, Reference, Rolls
from gpuspec.kinds.parts import listed
from gpuspec.kinds.references import claim

GROUP = "batch.volcano.sh"
_QUEUED = (
    Reference("spec", "queue", "scheduling.volcano.sh", "Queue"),
    Reference("spec", "priorityClassName", "scheduling.k8s.io", "PriorityClass"),
)
_part = listed("tasks", "name", "task", "replicas")

KINDS = (
    Kind("topology.volcano.sh", "HyperNode", "queue", namespaced=False),
    Kind("scheduling.volcano.sh", "Queue", "queue", namespaced=False),
    Kind("scheduling.volcano.sh", "PodGroup", "queue", refers=_QUEUED),
    Kind(
        GROUP,
        "Job",
        "workload",
        templates=("spec.tasks.*.template",),
        life="finite",
        part=_part,
        refers=(*_QUEUED, claim("spec.volumes.*", "volumeClaimName")),
        runs_once=True,
        whole_run=True,
        ttl=("spec", "ttlSecondsAfterFinished"),
        kept=Kept(
            ("spec",),
            but=(
                *("spec.minAvailable", "spec.tasks.*.replicas", "spec.tasks.*.minAvailable"),
                "spec.priorityClassName",
            ),
            way="give the Job a new name, or delete it first",
        ),
        filled=(("spec.queue", "default"), ("spec.maxRetry", 3)),
    ),
    Kind(
        GROUP,
        "CronJob",
        "workload",
        templates=("spec.jobTemplate.spec.tasks.*.template",),
        life="finite",
        part=_part,
        rolls=Rolls("next run", "holds from the next run", also=("spec.jobTemplate",)),
    ),
)
