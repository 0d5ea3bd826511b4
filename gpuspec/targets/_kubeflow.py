"""Jobs of Kubeflow's training operator (1.9): only Workers, and its run policy. Sources: its CRDs,
`pkg/controller.v1/common`.

There is no leading replica: with one, the run ends when the leader ends, even if others still
write. Without it all pods are alike, and rank 0 is Worker 0.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec.enumeration import listed
from gpuspec.plan import gangs, jobs, queueing
from gpuspec.plan.decision import Note, Origin, PlanPart, derived
from gpuspec.plan.facets import NodeMap, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.spec.failing import NEVER_RAN
from gpuspec.targets import _names, _queues

LABEL = "training.kubeflow.org/"
DEADLINE = "stopped after {longest}, at the next event of one of its pods"
# 1.8 knows every field, and has the webhooks whose rules are kept here.
NEEDS = TargetRequirement("training-operator", since="1.8", checked="1.9")


class WorkersPlan(msgspec.Struct, frozen=True):
    """A job of only Workers; what its operator would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    clean: PlanPart
    backoff_limit: PlanPart
    deadline: PlanPart
    ttl: PlanPart
    replicas: PlanPart
    restart_policy: PlanPart
    pod: PodPlan
    processes: PlanPart = None
    """Of a PyTorchJob: the number of processes in each worker."""
    success: PlanPart = None
    """Of a TFJob: the workers whose success ends the run."""


class JobVariant(msgspec.Struct, frozen=True):
    """The differences between the kinds of the operator's jobs."""

    target: str
    kind: str
    container: str
    """The name of the container that the operator looks for."""
    port: str
    """The operator's name of the port for each worker's Service."""
    number: int
    """The port where rank 0 listens, or each worker."""
    listens: str
    """The reason: who listens there."""


def workers(of: TargetInput, kind: JobVariant) -> WorkersPlan:
    """Return the job of the workers."""
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    (role,) = of.roles.values()
    return WorkersPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=jobs.annotations(of),
        clean=derived(
            "training-operator",
            "Running",
            "pods that still run at the end are deleted; the others keep their logs",
        ),
        backoff_limit=_backoff(of.resolution, spec),
        deadline=jobs.deadline(spec, DEADLINE),
        ttl=jobs.ttl(spec),
        replicas=role.count,
        restart_policy=derived(
            "training-operator", "OnFailure", "a container that fails starts again in its pod"
        ),
        pod=_pod(role.pod, kind),
    )


def _pod(pod: PodPlan, kind: JobVariant) -> PodPlan:
    """Return the worker's pod, with the names that the operator looks for."""
    main, *others = pod.containers
    port: dict[str, Any] = {
        "name": kind.port,
        "containerPort": kind.number,
        "protocol": "TCP",
    }
    why = "the operator looks for a container of this name"
    main = replace(
        main,
        name=derived("training-operator", kind.container, why),
        ports=(*main.ports, derived("training-operator", port, kind.listens)),
    )
    # The operator writes the replicas' restart policy into each pod, and warns of another one.
    return replace(pod, containers=(main, *others), restart_policy=None)


def _backoff(resolution: Resolution, spec: TrainingFields) -> PlanPart:
    """Return one more than the restarts that the spec allows: the operator gives up when it reaches
    the limit."""
    limit, count = spec.retries.limit, spec.workers
    retries = f"{limit} {'retry' if limit == 1 else 'retries'}"
    restarts = f"{retries} × {count} workers" if count > 1 else retries
    why = f"{restarts}, plus one: the operator adds up restarts and gives up when it reaches this number"
    return jobs.retries(resolution, limit * count + 1, why)


def refused(resolution: Resolution, kind: JobVariant) -> list[RefusalReason]:
    """Return refusals for names that are too long, and for exit codes that should end the run,
    which the operator does not distinguish."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    end = f"-worker-{spec.workers - 1}"
    reasons = _names.refused(resolution, kind.kind, end, "-worker-<index>")
    if codes := sorted({*spec.retries.ending} - {*NEVER_RAN}):
        field = "failOnExitCodes" if {*codes} & {*spec.retries.fail_on_exit_codes} else "onExitCode"
        text = (
            f"target {kind.target} ignores exit codes, so {listed(map(str, codes))} cannot "
            "end the run"
        )
        hint = f"delete `{field}`, or choose another target"
        reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "retries", field)), hint)
        )
    return reasons


def notes(resolution: Resolution, kind: JobVariant) -> list[Note]:
    """Return notes on a hung run, on exit codes that are retried, and on a queue that may ignore
    the kind."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    note_list = _queues.unlisted(resolution, kind.kind, f"kubeflow.org/{kind.target}")
    if spec.duration.max is not None and not gangs.is_kueues(resolution):
        # It puts the time into a queue of its own that nothing reads.
        text = (
            f"the operator checks `duration.max` ({spec.duration.max}) only at an event of a "
            "pod: a run that hangs holds its GPUs until then; only a queue ends it in time"
        )
        note_list.append(Note(text, Origin("spec", ("spec", "duration", "max")), loud=True))
    if spec.retries.ending and spec.retries.limit:
        codes = listed(map(str, spec.retries.ending))
        text = f"a {kind.kind} ignores exit codes: {codes} are retried too"
        note_list.append(Note(text, Origin("spec", ("spec", "retries", "failOnExitCodes"))))
    return note_list


def ranks(variable: str) -> Ranks:
    """Return how its workers know their ranks; `variable`: the one of a container that holds the
    rank too."""
    return Ranks(
        variable=variable,
        field=f"metadata.labels['{LABEL}replica-index']",
        why="the worker's rank is its replica's index",
        # Each worker has a Service of its own, of the pod's name.
        first=lambda job: f"{job}-worker-0",
        pods=f"{LABEL}job-name",
        network=True,
    )
