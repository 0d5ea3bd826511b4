"""CronJob: shards on a schedule. It is part of Kubernetes."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import jobs, queueing
from gpuspec.plan.decision import PlanPart, derived, from_spec
from gpuspec.plan.facets import Part
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import BatchInferenceSpec
from gpuspec.spec.jobs import Schedule

HISTORY = 3


class CronPlan(msgspec.Struct, frozen=True):
    """The schedule around a Job."""

    schedule: PlanPart
    time_zone: PlanPart
    concurrency_policy: PlanPart
    starting_deadline: PlanPart
    suspend: PlanPart
    successful_history: PlanPart
    failed_history: PlanPart


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, BatchInferenceSpec)
    assert spec.schedule is not None
    # What says where an object came from stands on the CronJob: its template is no object.
    job = replace(jobs.shards(of, spec), annotations=queueing.queue_annotations(of.resolution))
    return {"job": job, "cron": _cron(spec.schedule)}


def _cron(schedule: Schedule) -> CronPlan:
    path = ("spec", "schedule")
    return CronPlan(
        schedule=from_spec((*path, "cron"), schedule.cron, "when it runs"),
        time_zone=from_spec((*path, "timeZone"), schedule.time_zone, "never the controller's own"),
        concurrency_policy=derived(
            "schedule", "Forbid", "a late run does not compete with the next one for GPUs"
        ),
        starting_deadline=from_spec(
            (*path, "startingDeadline"), schedule.starting_deadline.seconds, "how late it may start"
        ),
        suspend=from_spec((*path, "suspended"), True, "no new runs")
        if schedule.suspended
        else None,
        successful_history=derived("schedule", HISTORY, "enough to compare with"),
        failed_history=derived("schedule", HISTORY, "enough to see a pattern of failures"),
    )


TARGET = Target(
    name="cronjob",
    api="batch/v1",
    kind="CronJob",
    intents=("schedule",),
    roles=("worker",),
    fields=_fields,
    queued=True,
    named="the CronJob names its Jobs by their time",
)
