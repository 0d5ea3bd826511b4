"""The parts of Jobs: completions, retries, deadlines, names and ranks of their pods."""

from typing import Any

from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan import queueing
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import JobPlan, NodeMap
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import TargetInput
from gpuspec.spec import MAIN_CONTAINER, BatchInferenceSpec, TrainingFields
from gpuspec.spec.failing import FAIL_SHARD, codes_of

RANK = "JOB_COMPLETION_INDEX"
RANK_FIELD = "metadata.labels['batch.kubernetes.io/job-completion-index']"
RANK_WHY = "the worker's rank is its completion index"
STOPPED = "stopped after {longest}: otherwise a hung run would keep its GPUs"


def gang(of: TargetInput, spec: TrainingFields, *, indexed: bool) -> JobPlan:
    """Return the Job of workers that start together; `indexed`: each has a rank."""
    workers = next(iter(of.roles.values())).count
    return JobPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=annotations(of),
        completion_mode=derived("job", "Indexed", "each worker has a rank and a host name")
        if indexed
        else None,
        completions=workers if indexed else None,
        parallelism=workers if indexed else None,
        backoff_limit=_backoff(of.resolution, spec),
        deadline=deadline(spec, STOPPED),
        ttl=ttl(spec),
        pod_replacement_policy=_replacement(),
        pod_failure_policy=_failure_policy(
            ("spec", "retries"), spec.retries.ending, changed=bool(spec.retries.on_exit_code)
        ),
    )


def shards(of: TargetInput, spec: BatchInferenceSpec) -> JobPlan:
    """Return the Indexed Job of a batch."""
    path = ("spec", "shards")
    return JobPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=annotations(of),
        completion_mode=derived("job", "Indexed", "each pod knows its shard by its index"),
        completions=from_spec((*path, "count"), spec.shards.count, "one completion per shard"),
        parallelism=next(iter(of.roles.values())).count,
        backoff_limit_per_index=from_spec(
            (*path, "retries"),
            spec.shards.retries,
            "retries per shard, so that one bad shard does not use up the retries of all",
        ),
        max_failed_indexes=from_spec(
            (*path, "maxFailed"),
            spec.shards.max_failed,
            "the number of shards that may fail before the rest stops",
        ),
        deadline=deadline(spec, STOPPED),
        ttl=ttl(spec),
        pod_replacement_policy=_replacement(),
        pod_failure_policy=_failure_policy(
            ("spec",),
            spec.ending,
            codes_of(spec.on_exit_code, FAIL_SHARD),
            changed=bool(spec.on_exit_code),
        ),
    )


def annotations(of: TargetInput) -> NodeMap:
    """Return annotations of the object that a queue suspends."""
    return {**of.meta.workload_annotations, **queueing.queue_annotations(of.resolution)}


def deadline(spec: TrainingFields | BatchInferenceSpec, why: str) -> PlanPart:
    """Return the seconds after which a Job is stopped; None without a limit in the spec.

    `why` has a field for the time: `{longest}`.
    """
    longest = spec.duration.max
    if longest is None:
        return None
    return from_spec(("spec", "duration", "max"), longest.seconds, why.format(longest=longest))


def ttl(spec: TrainingFields | BatchInferenceSpec) -> PlanPart:
    """Return the seconds that a finished run is kept; None if it is kept until a user deletes
    it."""
    after_finished = spec.ttl_after_finished
    if after_finished is None:
        return None
    why = f"deleted {after_finished} after its end, with its pods and their logs"
    return from_spec(("spec", "ttlAfterFinished"), after_finished.seconds, why)


def failure_rules(
    codes: tuple[int, ...],
    disruption: str,
    of_shard: tuple[int, ...] = (),
    container: str = MAIN_CONTAINER,
) -> list[dict[str, Any]]:
    """Return the Job's rules for a failed pod; `disruption`: the action for an evicted pod.

    `of_shard`: the exit codes after which only this shard fails. `container`: the container with
    the exit codes.
    """
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    rules: list[dict[str, Any]] = [{"action": disruption, "onPodConditions": [disrupted]}]
    for action, values in (("FailJob", codes), ("FailIndex", of_shard)):
        if values:
            which = {"containerName": container, "operator": "In", "values": sorted(values)}
            rules.append({"action": action, "onExitCodes": which})
    return rules


def _replacement() -> Decision:
    return derived("job", "Failed", "a new pod starts only when the old one has released its GPUs")


def _failure_policy(
    path: Path, codes: tuple[int, ...], of_shard: tuple[int, ...] = (), *, changed: bool
) -> Decision:
    """Return the pod failure policy. `path`: of the fields behind it; `changed`: some exit codes
    have an action of their own."""
    field = "onExitCode" if changed else "failOnExitCodes"
    why = "a disruption is not a failure; these exit codes are failures that no retry can fix"
    if of_shard:
        why += ", of the run or of its shard alone"
    return from_spec((*path, field), {"rules": failure_rules(codes, "Ignore", of_shard)}, why)


def retries(resolution: Resolution, value: int, why: str) -> Decision:
    """Return how often a target retries by itself, by the spec's `retries.limit`, unless its
    wrapper retries."""
    if resolution.wrapped:
        return derived("appwrapper", value, "the AppWrapper around it restarts everything")
    return from_spec(("spec", "retries", "limit"), value, why)


def _backoff(resolution: Resolution, spec: TrainingFields) -> Decision:
    """Return the backoff limit. Workers fail together: if one ends, the others cannot continue, and
    each counts."""
    limit, workers = spec.retries.limit, spec.workers
    if workers == 1:
        attempts = counted(limit + 1, "attempt")
        reason = f"at most {attempts}: each retry is a new pod, and disruptions do not count"
        return retries(resolution, limit, reason)
    reason = f"{limit} retries × {workers} workers: when one fails, all do, and the Job counts pods"
    return retries(resolution, limit * workers, reason)
