"""Job: workers that start together, or shards. It is part of Kubernetes."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import gangs, jobs
from gpuspec.plan.decision import Decision, PlanPart
from gpuspec.plan.facets import ObjectPlan, Part, PodRole
from gpuspec.plan.target import Ranks, Target, TargetInput
from gpuspec.spec import BatchInferenceSpec, TrainingFields


class GroupPlan(msgspec.Struct, frozen=True):
    """A PodGroup of Kubernetes, whose pods start together."""

    name: PlanPart
    least: PlanPart
    priority_class: PlanPart


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    if isinstance(spec, TrainingFields):
        job = jobs.gang(of, spec, indexed=spec.workers > 1)
        annotations = gangs.annotations(of.resolution, TARGET)
        return {"job": replace(job, annotations={**job.annotations, **annotations})}
    assert isinstance(spec, BatchInferenceSpec)
    return {"job": jobs.shards(of, spec)}


def _grouped(of: TargetInput) -> bool:
    """Return whether its pods are in a PodGroup."""
    return of.resolution.workers > 1 and gangs.starter(of.resolution, TARGET) is gangs.KUBERNETES


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    if not _grouped(of):
        return of.roles
    group = Decision({"podGroupName": of.name.value}, "they start together", of.name.origin)
    return {
        name: replace(role, pod=replace(role.pod, scheduling_group=group))
        for name, role in of.roles.items()
    }


def _files(of: TargetInput) -> tuple[ObjectPlan, ...]:
    """Return the PodGroup, which must exist before its pods."""
    if not _grouped(of):
        return ()
    (workers,) = of.roles.values()
    group = GroupPlan(
        name=Decision(of.name.value, "named like the run, whose pods are in it", of.name.origin),
        least=Decision(workers.count.value, "all of them, or none", workers.count.origin),
        priority_class=workers.pod.priority_class,
    )
    return (ObjectPlan("job-group", {"group": group}),)


TARGET = Target(
    name="job",
    api="batch/v1",
    kind="Job",
    intents=("gang", "shards"),
    roles=("worker",),
    fields=_fields,
    ranks=Ranks(
        variable=jobs.RANK,
        field=jobs.RANK_FIELD,
        why=jobs.RANK_WHY,
        # A Service of the Job's name gives its pods their host names.
        first=lambda job: f"{job}-0.{job}",
        pods="batch.kubernetes.io/job-name",
    ),
    pods=_pods,
    files=_files,
    queued=True,
    numbered=True,
    counted=True,
    wrapped=True,
    once=True,
)
