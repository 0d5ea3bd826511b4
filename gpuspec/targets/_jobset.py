"""The parts of a JobSet (0.12): a Job for each role, and the rules that restart or end them.
Sources: its webhook and controller."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec.plan import jobs, queueing
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import JobPlan, NodeMap, PodPlan, PodRole
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import RoleNaming, TargetInput
from gpuspec.spec import TrainingFields
from gpuspec.targets import _names, _roles

MOST_BEFORE = 5
"""The most Jobs that another can wait for."""
DEADLINE = "stopped {longest} after each start of the set: a hung run holds its GPUs"
_ORDER = ("before", "with", "after")


class ReplicatedJobPlan(msgspec.Struct, frozen=True):
    """One Job of a JobSet: the pods of one role."""

    name: PlanPart
    group: PlanPart
    replicas: PlanPart
    depends_on: PlanPart
    job: JobPlan
    pod: PodPlan
    labels: NodeMap = msgspec.field(default_factory=dict)
    """Of the Job, for the object that creates the JobSet."""


class JobSetPlan(msgspec.Struct, frozen=True):
    """A JobSet of a Job for each role; what its webhook would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    jobs: tuple[ReplicatedJobPlan, ...]
    network: NodeMap
    success: PlanPart
    deciding: PlanPart
    startup: PlanPart
    max_restarts: PlanPart
    restart_strategy: PlanPart
    rules: PlanPart
    ttl: PlanPart


def jobset(of: TargetInput, *, timed: bool = True) -> JobSetPlan:
    """Return the JobSet of the roles; `timed`: it enforces `duration.max` itself."""
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    deciding = _roles.deciding({name: role.ends for name, role in of.roles.items()})
    bounded = timed and spec.duration.max is not None
    return JobSetPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=jobs.annotations(of),
        # Jobs are made in this order, and wait for what stands before them.
        jobs=tuple(
            _job(of, spec, name, bounded=bounded)
            for name in sorted(of.roles, key=lambda name: _ORDER.index(of.roles[name].starts))
        ),
        network={
            "enableDNSHostnames": derived("jobset", True, "workers find each other by host names"),
            "subdomain": Decision(of.name.value, "the domain of their host names", of.name.origin),
            "publishNotReadyAddresses": derived(
                "jobset", True, "workers look each other up before they are ready"
            ),
        },
        success=derived("jobset", "All", f"complete when the Job of {' and '.join(deciding)} is"),
        deciding=_targets(of.roles, deciding),
        startup=derived("jobset", "AnyOrder", "the API's default"),
        max_restarts=jobs.retries(
            of.resolution,
            spec.retries.limit,
            "restarts of all pods together, whichever failed; disruptions do not count",
        ),
        restart_strategy=derived(
            "jobset", "BlockingRecreate", "all old pods release their GPUs before new ones start"
        ),
        rules=derived(
            "jobset",
            _rules(spec.retries.ending, bounded=bounded),
            "a disruption restarts all and does not count as a failure; an exit code that no "
            "retry fixes, or the time limit, ends the run",
        ),
        ttl=jobs.ttl(spec),
    )


def host(jobset: str, role: str, index: int) -> str:
    """Return the host name of a pod."""
    return f"{jobset}-{role}-0-{index}.{jobset}"


BESIDE = RoleNaming(host=host, label="jobset.sigs.k8s.io/replicatedjob-name")


def refused(resolution: Resolution, kind: str, workers: str) -> list[RefusalReason]:
    """Return refusals for pod names that are too long or begin with a digit, and for too many
    dependencies. `kind`: of the object that the JobSet is named after; `workers`: their role."""
    workload = resolution.workload
    reasons = _names.refused(resolution, kind, *_pods(workers, resolution.workers))
    for index, role in enumerate(resolution.roles):
        place = workload.place(("spec", "roles", index, "name"))
        reasons += _names.too_long(resolution, *_pods(role.name, role.count), place)
        if role.name == workers:
            text = (
                f"`{workers}` is the name of the workers of a {kind}, and cannot be another role's"
            )
            reasons.append(RefusalReason(text, place, "give it another name"))
    first = [role.name for role in resolution.roles if role.starts == "before"]
    if len(first) > MOST_BEFORE:
        text = f"the workers of a JobSet can wait for at most {MOST_BEFORE} roles, not {len(first)}"
        reasons.append(RefusalReason(text, workload.place(("spec", "roles"))))
    return reasons


def _pods(role: str, count: int) -> tuple[str, str]:
    """Return the suffix that a role's last pod adds to the run's name, and the pattern for any of
    its pods."""
    return f"-{role}-0-{count - 1}-abcde", f"-{role}-0-<index>-<5 letters>"


def _job(of: TargetInput, spec: TrainingFields, name: str, *, bounded: bool) -> ReplicatedJobPlan:
    """Return the Job of one role. Its deadline holds also if the workers wait for it without end."""
    role = of.roles[name]
    job = replace(
        jobs.gang(of, spec, indexed=True),
        labels={},
        annotations={},
        completions=role.count,
        parallelism=role.count,
        backoff_limit=derived("jobset", 0, "the first failure ends the Job: all restart together"),
        deadline=jobs.deadline(spec, DEADLINE) if bounded else None,
        ttl=None,
        pod_failure_policy=derived(
            "jobset",
            {"rules": jobs.failure_rules(spec.retries.ending, "FailJob", container=_main(role))},
            "the JobSet sees why a pod has failed",
        ),
    )
    reason = "part of its pods' names"
    return ReplicatedJobPlan(
        name=from_spec((*role.path, "name"), name, reason)
        if role.path
        else derived("jobset", name, reason),
        group=derived("jobset", "default", "the API's default"),
        replicas=derived("jobset", 1, "one Job has all its pods"),
        depends_on=_depends_on(of.roles, role),
        job=job,
        pod=role.pod,
    )


def _main(role: PodRole) -> str:
    """Return the name of the main container of a role's pod."""
    name = role.pod.containers[0].name
    assert isinstance(name, Decision)
    return str(name.value)


def _depends_on(roles: Mapping[str, PodRole], role: PodRole) -> PlanPart:
    """Return what a role waits for: the workers for all roles that start before them, a later role
    for the workers."""
    if role.starts == "before":
        return None
    first = {name: pod_role for name, pod_role in roles.items() if pod_role.starts == "before"}
    awaited = first if role.starts == "with" else _workers(roles)
    if not awaited:
        return None
    value = [{"name": name, "status": _status(pod_role)} for name, pod_role in awaited.items()]
    statements = [f"{dependency['name']} is {dependency['status'].lower()}" for dependency in value]
    path = role.path if role.starts == "after" else next(iter(awaited.values())).path
    return from_spec((*path, "starts"), value, f"starts when {' and '.join(statements)}")


def _workers(roles: Mapping[str, PodRole]) -> Mapping[str, PodRole]:
    """Return the first role."""
    name = next(iter(roles))
    return {name: roles[name]}


def _status(role: PodRole) -> str:
    return "Complete" if (role.starts, role.ends) == ("before", "by-itself") else "Ready"


def _targets(roles: Mapping[str, PodRole], deciding: list[str]) -> PlanPart:
    """Return the Jobs that decide; nothing if all do."""
    if len(deciding) == len(roles):
        return None
    path = next((roles[name].path for name in deciding if roles[name].path), None)
    why = "the run is complete when these Jobs are; the others are stopped then"
    return from_spec((*path, "ends") if path else ("spec", "roles"), deciding, why)


def _rules(codes: tuple[int, ...], *, bounded: bool) -> list[dict[str, Any]]:
    """Return the rules for a failed Job, by the reason and the message of its failure; without a
    match all restart."""
    reasons = {"onJobFailureReasons": ["PodFailurePolicy"]}
    rules: list[dict[str, Any]] = [
        {
            "name": "disruption",
            "action": "RestartJobSetAndIgnoreMaxRestarts",
            **reasons,
            "onJobFailureMessagePatterns": ["has condition DisruptionTarget"],
        }
    ]
    if codes:
        failed = {"onJobFailureMessagePatterns": ["failed with exit code"]}
        rules.append({"name": "exitCode", "action": "FailJobSet", **reasons, **failed})
    if bounded:
        late = {"onJobFailureReasons": ["DeadlineExceeded"]}
        rules.append({"name": "deadline", "action": "FailJobSet", **late})
    return rules
