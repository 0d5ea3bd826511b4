"""Jobs and CronJobs: completions, retries, deadlines, names."""

from typing import Any

import msgspec

from gpuspec.plan.case import Case
from gpuspec.plan.distribution import MOST_AT_ONCE, at_once
from gpuspec.plan.facets import CronPlan, JobPlan, NodeMap
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.spec import MAIN_CONTAINER, BatchInferenceSpec, TrainingFields

# Kubernetes' own default, said so that nobody has to know it.
DEFAULT_GRACE = 30
# Seconds on top of saving: for the step under way, and for the process to exit.
SAVE_MARGIN = 30
HISTORY = 3
# Karpenter and Cluster Autoscaler move pods to save nodes, unless the pod says not to.
NO_CONSOLIDATION = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
LOST = "the work since the last save would be lost"
AGAIN = "its shard would be scored again from the start"


class FinitePlan(msgspec.Struct, frozen=True):
    """What makes a pod template a finite run."""

    job: JobPlan
    cron: CronPlan | None
    grace: Leaf
    pod_annotations: NodeMap
    notes: tuple[Note, ...]


def training_job(
    case: Case, spec: TrainingFields, name: Leaf, labels: NodeMap, annotations: NodeMap
) -> FinitePlan:
    """The Job of a training run."""
    several = spec.workers > 1
    workers = from_spec(("spec", "workers"), spec.workers, "one pod per worker")
    job = JobPlan(
        name=name,
        labels=labels,
        annotations=annotations,
        completion_mode=derived("job", "Indexed", "each worker has a rank and a host name")
        if several
        else None,
        completions=workers if several else None,
        parallelism=workers if several else None,
        backoff_limit=_backoff(spec),
        deadline=_deadline(spec),
        pod_replacement_policy=_replacement(),
        pod_failure_policy=_failure_policy(
            spec.retries.fail_on_exit_codes, ("spec", "retries", "failOnExitCodes")
        ),
    )
    grace, notes = _checkpoint(case, spec)
    return FinitePlan(job, None, grace, _no_consolidation(LOST), tuple(notes))


def batch_job(
    case: Case, spec: BatchInferenceSpec, name: Leaf, labels: NodeMap, annotations: NodeMap
) -> FinitePlan:
    """The Indexed Job of a batch, and its schedule."""
    shards = spec.shards
    path = ("spec", "shards")
    job = JobPlan(
        name=name,
        labels=labels,
        annotations=annotations,
        completion_mode=derived("job", "Indexed", "each pod knows its shard by its index"),
        completions=from_spec((*path, "count"), shards.count, "one completion per shard"),
        parallelism=_parallelism(spec),
        backoff_limit_per_index=from_spec(
            (*path, "retries"),
            shards.retries,
            "each shard is retried on its own, so that one bad shard does not spend all retries",
        ),
        max_failed_indexes=from_spec(
            (*path, "maxFailed"),
            shards.max_failed,
            "how many shards may fail before the rest is stopped",
        ),
        deadline=_deadline(spec),
        pod_replacement_policy=_replacement(),
        pod_failure_policy=_failure_policy(spec.fail_on_exit_codes, ("spec", "failOnExitCodes")),
    )
    grace = derived("job", DEFAULT_GRACE, "a shard that is cut off is scored again")
    return FinitePlan(job, _cron(spec), grace, _no_consolidation(AGAIN), ())


def _cron(spec: BatchInferenceSpec) -> CronPlan | None:
    schedule = spec.schedule
    if schedule is None:
        return None
    path = ("spec", "schedule")
    return CronPlan(
        schedule=from_spec((*path, "cron"), schedule.cron, "when it runs"),
        time_zone=from_spec((*path, "timeZone"), schedule.time_zone, "never the controller's own"),
        concurrency_policy=derived(
            "schedule", "Forbid", "a run that is late does not fight the next one for GPUs"
        ),
        starting_deadline=from_spec(
            (*path, "startingDeadline"), schedule.starting_deadline.seconds, "how late it may start"
        ),
        suspend=from_spec((*path, "suspended"), True, "no new runs")
        if schedule.suspended
        else None,
        successful_history=derived("schedule", HISTORY, "enough to compare with"),
        failed_history=derived("schedule", HISTORY, "enough to see a pattern"),
    )


def _deadline(spec: TrainingFields | BatchInferenceSpec) -> Node:
    longest = spec.duration.max
    if longest is None:
        return None
    return from_spec(
        ("spec", "duration", "max"),
        longest.seconds,
        f"stopped after {longest}, whatever it does: a hung run holds its GPUs",
    )


def _replacement() -> Leaf:
    return derived("job", "Failed", "a new pod waits until the old one has let go of its GPUs")


def _failure_policy(codes: tuple[int, ...], path: tuple[str, ...]) -> Leaf:
    rules: list[dict[str, Any]] = [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    ]
    if codes:
        rules.append(
            {
                "action": "FailJob",
                "onExitCodes": {
                    "containerName": MAIN_CONTAINER,
                    "operator": "In",
                    "values": sorted(codes),
                },
            }
        )
    return from_spec(
        path,
        {"rules": rules},
        "a disruption is no failure; these exit codes are one that no retry can mend",
    )


def _backoff(spec: TrainingFields) -> Leaf:
    """Workers fail together: when one is gone, the others cannot go on, and each counts."""
    path, limit, workers = ("spec", "retries", "limit"), spec.retries.limit, spec.workers
    if workers == 1:
        return from_spec(path, limit, "failed pods before the Job fails; disruptions do not count")
    reason = f"{limit} retries × {workers} workers: when one fails, all do, and the Job counts pods"
    return from_spec(path, limit * workers, reason)


def _parallelism(spec: BatchInferenceSpec) -> Leaf:
    if spec.shards.parallelism is not None:
        return from_spec(("spec", "shards", "parallelism"), at_once(spec), "shards at a time")
    reason = f"all shards at a time, {MOST_AT_ONCE} at most unless the spec says more"
    return derived("job", at_once(spec), reason)


def _no_consolidation(lost: str) -> dict[str, Leaf]:
    why = f"no autoscaler may move it to save a node: {lost}"
    return {key: derived("disruption", value, why) for key, value in NO_CONSOLIDATION.items()}


def _checkpoint(case: Case, spec: TrainingFields) -> tuple[Leaf, list[Note]]:
    checkpoint = spec.checkpoint
    spot = [chosen for chosen in case.pools if chosen.pool.capacity == "spot"]
    if checkpoint is None:
        notes = []
        if spot or spec.capacity == "spot":
            text = "spot nodes and no checkpoint: an interruption loses the whole run"
            notes.append(Note(text, Origin("spec", ("spec", "capacity")), loud=True))
        return derived("job", DEFAULT_GRACE, "nothing is saved at the end"), notes
    save = checkpoint.save.seconds
    notes = []
    for chosen in spot:
        if chosen.pool.notice.seconds < save:
            notes.append(
                Note(
                    f"pool {chosen.pool.name} gives {chosen.pool.notice} of notice and saving takes "
                    f"{checkpoint.save}: an interruption loses up to {checkpoint.every}",
                    Origin("spec", ("spec", "checkpoint", "save")),
                    loud=True,
                )
            )
    reason = f"{checkpoint.save} to save a checkpoint, and {SAVE_MARGIN}s more"
    return from_spec(("spec", "checkpoint", "save"), save + SAVE_MARGIN, reason), notes
