"""Volcano (1.15). Sources: its CRDs and webhooks."""

from gpuspec.kinds.common import listed
from gpuspec.kinds.model import ImmutableFields, Kind, Reference, Rolls
from gpuspec.kinds.references import claim, claim_spec, priority

GROUP = "batch.volcano.sh"
QUEUES = "scheduling.volcano.sh"


def _queued(base: str) -> tuple[Reference, ...]:
    return (Reference(base, "queue", QUEUES, "Queue"), priority(base))


def _job(base: str) -> tuple[Reference, ...]:
    volumes = f"{base}.volumes.*"
    return (
        *_queued(base),
        claim(volumes, "volumeClaimName"),
        *claim_spec(f"{volumes}.volumeClaim"),
    )


_PARENT = Reference("spec", "parent", QUEUES, "Queue")
_part = listed("tasks", "name", "task", "replicas")

KINDS = (
    Kind("topology.volcano.sh", "HyperNode", "queue", namespaced=False),
    Kind(QUEUES, "Queue", "queue", namespaced=False, refers=(_PARENT,)),
    Kind(QUEUES, "PodGroup", "queue", refers=_queued("spec")),
    Kind(
        GROUP,
        "Job",
        "workload",
        templates=("spec.tasks.*.template",),
        life="finite",
        part=_part,
        refers=_job("spec"),
        runs_once=True,
        whole_run=True,
        pod_label="volcano.sh/job-name",
        scheduler="volcano",
        ttl=("spec", "ttlSecondsAfterFinished"),
        kept=ImmutableFields(
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
        refers=_job("spec.jobTemplate.spec"),
        rolls=Rolls("next run", "applies from the next run", also=("spec.jobTemplate",)),
    ),
)
