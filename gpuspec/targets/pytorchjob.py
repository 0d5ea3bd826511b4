"""PyTorchJob (training-operator 1.9): workers that torch's launchers start. Sources: its CRD, webhook and controller.

There are Workers alone, and no Master. Beside a Master the operator puts a container of its own into
each Worker, which Pod Security's level `restricted` refuses, and the run is done when the Master is,
whatever the others still write. Without one all pods are alike, and rank 0 is Worker 0.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import gangs, jobs, queueing
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.launch import PORT
from gpuspec.plan.leaf import Node, Note, Origin, derived, from_spec
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.target import Carried, Needs, Ranks, Target
from gpuspec.plan.words import listed
from gpuspec.spec import TrainingFields
from gpuspec.spec.failing import NEVER_RAN
from gpuspec.targets import _names, _queues

LABEL = "training.kubeflow.org/"
DEADLINE = "stopped after {longest}, when something happens to a pod of it"
CONTAINER, PORT_NAME = "pytorch", "pytorchjob-port"


class PyTorchJobPlan(msgspec.Struct, frozen=True):
    """A PyTorchJob; what its operator would fill in is written out."""

    name: Node
    labels: NodeMap
    annotations: NodeMap
    processes: Node
    clean: Node
    backoff_limit: Node
    deadline: Node
    ttl: Node
    replicas: Node
    restart_policy: Node
    pod: PodPlan


def _fields(of: Carried) -> Mapping[str, Part]:
    case, spec = of.case, of.case.spec
    assert isinstance(spec, TrainingFields)
    (workers,) = of.roles.values()
    job = PyTorchJobPlan(
        name=of.name,
        labels=queueing.labels(case),
        annotations=jobs.annotations(of),
        processes=from_spec(
            ("spec", "gpu", "count"), str(processes(case)), f"one process per {driven(case)}"
        ),
        clean=derived(
            "pytorchjob", "Running", "what still runs at the end is ended; logs of the rest stay"
        ),
        backoff_limit=_backoff(case, spec),
        deadline=jobs.deadline(spec, DEADLINE),
        ttl=jobs.ttl(spec),
        replicas=workers.count,
        restart_policy=derived(
            "pytorchjob", "OnFailure", "a container that fails starts again in its pod"
        ),
        pod=_pod(workers.pod),
    )
    return {"pytorchjob": job}


def _pod(pod: PodPlan) -> PodPlan:
    """The worker's pod, with the names that the operator looks for."""
    main, *others = pod.containers
    port = {"name": PORT_NAME, "containerPort": PORT, "protocol": "TCP"}
    main = replace(
        main,
        name=derived("pytorchjob", CONTAINER, "the operator asks for a container of this name"),
        ports=(*main.ports, derived("pytorchjob", port, "rank 0 listens here")),
    )
    # The operator writes the replicas' restart policy into each pod, and warns of another one.
    return replace(pod, containers=(main, *others), restart_policy=None)


def _backoff(case: Case, spec: TrainingFields) -> Node:
    """One above the restarts that the spec allows: the operator gives up at the limit, not beyond."""
    limit, workers = spec.retries.limit, spec.workers
    retries = f"{limit} {'retry' if limit == 1 else 'retries'}"
    each = f"{retries} × {workers} workers" if workers > 1 else retries
    why = f"{each}, and the one too many: the operator adds up restarts and gives up at this number"
    return jobs.retries(case, limit * workers + 1, why)


def _refused(case: Case) -> list[Refused]:
    """Names that are too long, and exit codes that are to end the run: none is told from another."""
    spec = case.spec
    assert isinstance(spec, TrainingFields)
    end = f"-worker-{spec.workers - 1}"
    found = _names.refused(case, TARGET.kind, end, "-worker-<index>")
    if codes := sorted({*spec.retries.ending} - {*NEVER_RAN}):
        field = "failOnExitCodes" if {*codes} & {*spec.retries.fail_on_exit_codes} else "onExitCode"
        text = (
            f"target pytorchjob tells no exit code from another, and {listed(map(str, codes))} "
            f"{'is' if len(codes) == 1 else 'are'} to end the run"
        )
        hint = f"delete `{field}`, or choose another target"
        found.append(Refused(text, case.workload.place(("spec", "retries", field)), hint))
    return found


def _notes(case: Case) -> list[Note]:
    """What becomes of a hung run and of a command that cannot run; a queue that may not know the kind."""
    spec = case.spec
    assert isinstance(spec, TrainingFields)
    found = _queues.unlisted(case, TARGET.kind, "kubeflow.org/pytorchjob")
    if spec.duration.max is not None and not gangs.is_kueues(case):
        # It puts the time into a queue of its own that nothing reads.
        text = (
            f"the operator sees that `duration.max` ({spec.duration.max}) is over when something "
            "happens to a pod: a run that hangs holds its GPUs until then; only a queue ends it in time"
        )
        found.append(Note(text, Origin("spec", ("spec", "duration", "max")), loud=True))
    if spec.retries.ending and spec.retries.limit:
        codes = listed(map(str, spec.retries.ending))
        text = f"a PyTorchJob tells no exit code from another: {codes} are retried too"
        found.append(Note(text, Origin("spec", ("spec", "retries", "failOnExitCodes"))))
    return found


TARGET = Target(
    name="pytorchjob",
    api="kubeflow.org/v1",
    kind="PyTorchJob",
    intents=("gang",),
    roles=("worker",),
    fields=_fields,
    # 1.8 knows every field, and has the webhook whose rules are kept here.
    needs=Needs("training-operator", since="1.8", checked="1.9"),
    ranks=Ranks(
        variable="NODE_RANK",
        field=f"metadata.labels['{LABEL}replica-index']",
        why="the worker's rank is its replica's index",
        # Each worker has a Service of its own, of the pod's name.
        first=lambda job: f"{job}-worker-0",
        pods=f"{LABEL}job-name",
        network=True,
    ),
    queued=True,
    wrapped=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
