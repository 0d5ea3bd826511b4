"""Job of Volcano (1.15): workers and other roles that Volcano's scheduler starts together.

Sources: its CRDs, its webhooks (pkg/webhooks/admission/jobs), its controller (pkg/controllers/job) and
its scheduler's session, at v1.15.1.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.enumeration import counted, listed
from gpuspec.plan import jobs, metadata, topology
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.facets import NodeMap, Part, PodPlan, PodRole
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, RoleNaming, Target, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.spec.roles import Ends
from gpuspec.targets import _names, _roles

WORKER, SCHEDULER, RANK = "worker", "volcano", "VC_TASK_INDEX"
LABEL = "volcano.sh/"
DEADLINE = "each attempt is stopped after {longest}: a hung run holds its GPUs"
INDEX = f"metadata.labels['{LABEL}task-index']"
RETRIES_OF_POD = 3
"""The webhook's default for each task: restarts of a container in its pod; here no container
restarts."""


class TaskPlan(msgspec.Struct, frozen=True):
    """The pods of one role; what the webhook would fill in is written out."""

    name: PlanPart
    replicas: PlanPart
    least: PlanPart
    retries: PlanPart
    policies: PlanPart
    pod: PodPlan


class VolcanoPlan(msgspec.Struct, frozen=True):
    """A Job of Volcano; what its webhook would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    scheduler: PlanPart
    queue: PlanPart
    priority_class: PlanPart
    least: PlanPart
    max_retry: PlanPart
    ttl: PlanPart
    network: PlanPart
    plugins: PlanPart
    policies: PlanPart
    tasks: tuple[TaskPlan, ...]


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    job = VolcanoPlan(
        name=of.name,
        labels=metadata.labels(of.resolution),
        annotations=of.meta.workload_annotations,
        scheduler=derived(
            "volcano", SCHEDULER, "the only scheduler here that starts all of them or none"
        ),
        queue=from_spec(("spec", "queue"), spec.queue, "starts when all pods fit into this queue")
        if spec.queue
        else derived("volcano", "default", "Volcano's own default queue"),
        priority_class=of.roles[WORKER].pod.priority_class,
        least=derived("volcano", _pods(of.roles), "all start together, or none"),
        max_retry=_max_retry(spec),
        ttl=jobs.ttl(spec),
        network=_network(of.resolution, spec),
        plugins=_plugins(of.roles),
        policies=_policies(spec),
        tasks=tuple(_task(of, spec, name) for name in of.roles),
    )
    return {"volcano": job}


def _pods(roles: Mapping[str, PodRole]) -> int:
    return sum(role.count.value for role in roles.values())


def _max_retry(spec: TrainingFields) -> Decision:
    """Return the number of starts, which Volcano counts; it replaces 0 with 3."""
    limit = spec.retries.limit
    why = f"starts of all pods together, {counted(limit, 'restart')} at most; disruptions count"
    return from_spec(("spec", "retries", "limit"), limit + 1, why)


def _policies(spec: TrainingFields) -> Decision:
    """Return the policies for a lost pod; the first match counts."""
    ending = [{"exitCode": code, "action": "TerminateJob"} for code in spec.retries.ending]
    lost = {"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}
    why = (
        "an exit code that no retry fixes ends the run; else all pods restart, once the old "
        "ones are gone"
    )
    return from_spec(("spec", "retries"), [*ending, lost], why)


def _plugins(roles: Mapping[str, PodRole]) -> PlanPart:
    """Return the plugins for names and ranks of pods; a single pod needs none."""
    if _pods(roles) == 1:
        return None
    plugins: dict[str, list[str]] = {"env": [], "svc": ["--publish-not-ready-addresses=true"]}
    why = f"{RANK}, and host names that resolve before pods are ready"
    return derived("volcano", plugins, why)


def _network(resolution: Resolution, spec: TrainingFields) -> PlanPart:
    """Return how close the pods are; a soft request has no level: Volcano tries the closest nodes
    first."""
    requested, level = spec.topology, topology.level_of(resolution)
    if requested is None or level is None:
        return None
    path = ("spec", "topology")
    if not requested.required:
        return from_spec(path, {"mode": "soft"}, "as close together as free slots allow")
    why = f"they start when all fit into one {level.name}: the label names its HyperNodes"
    return from_spec(path, {"mode": "hard", "highestTierName": level.label}, why)


def _task(of: TargetInput, spec: TrainingFields, name: str) -> TaskPlan:
    role, reason = of.roles[name], "part of its pods' names"
    return TaskPlan(
        name=from_spec((*role.path, "name"), name, reason)
        if role.path
        else derived("volcano", name, reason),
        replicas=role.count,
        least=Decision(role.count.value, "all of them, or none", role.count.origin),
        retries=derived("volcano", RETRIES_OF_POD, "the API's default"),
        policies=_completes(_ends(of.resolution), of.roles, name),
        # The Job names the scheduler; its pods have no other.
        pod=replace(_numbered(role), scheduler=None, deadline=jobs.deadline(spec, DEADLINE)),
    )


def _numbered(role: PodRole) -> PodPlan:
    """Return the pod of a role; pods other than workers get their number under the name that a Job
    uses."""
    if not role.path:
        return role.pod
    main, *others = role.pod.containers
    number = {"name": jobs.RANK, "valueFrom": {"fieldRef": {"fieldPath": INDEX}}}
    decision = derived(
        "volcano", number, "the pod's number in its role, under the name that Jobs use"
    )
    return replace(role.pod, containers=(replace(main, env=(decision, *main.env)), *others))


def _ends(resolution: Resolution) -> dict[str, Ends]:
    return {WORKER: "by-itself", **{role.name: role.ends for role in resolution.roles}}


def _completes(ends: Mapping[str, Ends], roles: Mapping[str, PodRole], name: str) -> PlanPart:
    """Return the policy of the role whose end is that of the run; none if all must end."""
    if _roles.deciding(ends) != [name]:
        return None
    done = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    others = len(roles) > 1
    why = (
        "the run is complete when its pods "
        f"are{', and the others are stopped then' if others else ''}"
    )
    if path := roles[name].path:
        return from_spec((*path, "ends"), done, why)
    return derived("volcano", done, why)


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for names that are too long, and for roles that wait for others or end
    with some of them."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    counts = {WORKER: spec.workers, **{role.name: role.count for role in resolution.roles}}
    ends = {name: f"-{name}-{pods - 1}" for name, pods in counts.items()}
    longest = max(ends, key=lambda name: len(ends[name]))
    reasons = _names.refused(resolution, "Job", ends[longest], f"-{longest}-<index>")
    for index, role in enumerate(resolution.roles):
        if role.starts != "with":
            text = (
                f"a Job of Volcano starts all its pods together, but {role.name} starts "
                f"`{role.starts}` the workers"
            )
            place = resolution.workload.place(("spec", "roles", index, "starts"))
            reasons.append(
                RefusalReason(text, place, "write `starts: with`, or choose another target")
            )
    deciding = _roles.deciding(_ends(resolution))
    if 1 < len(deciding) < len(counts):
        text = (
            "a Job of Volcano is complete when one role is, or when all are, but this one "
            f"when {listed(deciding)} are"
        )
        hint = "let one role end the run (`ends: the-run`), or each end by itself"
        reasons.append(RefusalReason(text, resolution.workload.place(("spec", "roles")), hint))
    return reasons


def _notes(resolution: Resolution) -> list[Note]:
    """Return notes on the time of each attempt, the HyperNodes of a level, and the scheduler."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    notes: list[Note] = []
    longest, tries = spec.duration.max, spec.retries.limit + 1
    if longest is not None and tries > 1:
        text = (
            f"`duration.max` ({longest}) limits each attempt: Volcano retries a Job that is "
            f"out of time, up to {tries} attempts"
        )
        notes.append(Note(text, Origin("spec", ("spec", "duration", "max")), loud=True))
    level = topology.level_of(resolution)
    if spec.topology is not None and spec.topology.required and level is not None:
        text = (
            f"Volcano finds the {level.name} by HyperNodes with the tier name "
            f"`{level.label}`, which its discovery by labels creates; without them it places "
            "the pods anywhere"
        )
        notes.append(Note(text, Origin("spec", ("spec", "topology")), loud=True))
    scheduler = resolution.profile.spec.scheduler
    if scheduler not in (None, SCHEDULER):
        message = f"`{SCHEDULER}` schedules a Job of Volcano, not `{scheduler}`"
        notes.append(Note(message, Origin("profile", ("spec", "scheduler")), loud=True))
    return notes


def _host(job: str, role: str, index: int) -> str:
    return f"{job}-{role}-{index}.{job}"


TARGET = Target(
    name="volcano",
    api="batch.volcano.sh/v1alpha1",
    kind="Job",
    intents=("gang",),
    roles=(WORKER,),
    fields=_fields,
    # Pods are labelled with their index since 1.9.
    needs=TargetRequirement("volcano", since="1.9", checked="1.15", called="Volcano"),
    ranks=Ranks(
        variable=RANK,
        field=INDEX,
        why="the worker's rank is its index in its task",
        first=lambda job: _host(job, WORKER, 0),
        pods=f"{LABEL}job-name",
        network=True,
    ),
    beside=RoleNaming(host=_host, label=f"{LABEL}task-spec"),
    queued=True,
    queues="volcano",
    once=True,
    refused=_refused,
    notes=_notes,
)
