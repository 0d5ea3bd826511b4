"""A run on spot nodes that the loss of one of them ends for good."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import JobSpec, job_specs
from gpuspec.lint.analysis.placement.interruption import spot_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU766",
    "reclaim-ends-run",
    "warning",
    "The first spot reclaim ends the run permanently",
    fix="unsafe",
)
_IGNORED = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield Jobs that try once, on nodes that are sure to be spot nodes."""
    owner = pod.object
    job = next(
        (
            job_spec
            for job_spec in job_specs(owner)
            if pod.base[: len(job_spec.path)] == job_spec.path
        ),
        None,
    )
    if job is None or job.value.get("backoffLimit") != 0 or _is_spared(owner, job):
        return
    spot = spot_of(pod, context)
    if spot is None:
        return
    yield RawFinding(
        (*job.path, "backoffLimit"),
        "`backoffLimit: 0` ends the run when its first spot node is reclaimed: the run does not "
        "restart from its last checkpoint",
        note=_note(job) + spot.reason,
        related=spot.related(pod),
        confidence="likely",
        fix=_fix(job),
    )


def _is_spared(owner: Object, job: JobSpec) -> bool:
    """Return whether such a loss does not count, or the whole is tried again."""
    rules = map(mapping, items(mapping(job.value.get("podFailurePolicy")).get("rules")))
    if any(rule.get("onPodConditions") and rule.get("action") != "FailJob" for rule in rules):
        return True
    if job.value.get("backoffLimitPerIndex") is not None:
        return True
    failure = mapping(owner.spec.get("failurePolicy"))
    return job.in_jobset and bool(failure.get("maxRestarts") or failure.get("rules"))


def _note(job: JobSpec) -> str:
    if job.in_jobset:
        return "set `failurePolicy.maxRestarts` of the JobSet, which restarts all of its Jobs"
    return "add a `podFailurePolicy` that ignores `DisruptionTarget`"


def _fix(job: JobSpec) -> Fix | None:
    if job.in_jobset or job.restart != "Never" or job.value.get("podFailurePolicy") is not None:
        return None
    rules_put = Put((*job.path, "podFailurePolicy", "rules"), [_IGNORED])
    return Fix("ignore `DisruptionTarget` in `podFailurePolicy`", (rules_put,))
