"""RayJob (KubeRay 1.6): a Ray cluster of workers, and a command that runs on it. Sources: its CRD,
`validation.go` and controllers."""

import shlex
from collections.abc import Mapping

import msgspec

from gpuspec.plan import jobs, queueing
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.facets import LaunchPlan, NodeMap, Part, PodPlan, PodRole
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.roles import flavors
from gpuspec.plan.target import Ranks, Target, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.spec.failing import NEVER_RAN
from gpuspec.spec.program import line, program
from gpuspec.targets import _ray

WORKER, HEAD, SUBMITTER = "worker", "head", "submitter"
LONGEST = 47
"""Characters of a RayJob's name, from which KubeRay makes those of a cluster and its Services."""
_STOPPED = "stopped {longest} after each start: a hung run holds its GPUs"


class RayJobPlan(msgspec.Struct, frozen=True):
    """A RayJob; what its CRD would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    mode: PlanPart
    entrypoint: PlanPart
    shutdown: PlanPart
    ttl: PlanPart
    deadline: PlanPart
    backoff_limit: PlanPart
    version: PlanPart
    head_params: NodeMap
    head: PodPlan
    group: PlanPart
    workers: PlanPart
    hosts: PlanPart
    worker_params: NodeMap
    worker: PodPlan
    submitter: PodPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    worker = of.roles[WORKER]
    job = RayJobPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=jobs.annotations(of),
        mode=derived(
            "rayjob",
            "K8sJobMode",
            "a pod submits the command, and keeps the log after the cluster is deleted",
        ),
        entrypoint=from_spec(("spec", "command"), _entrypoint(spec), "it runs on the head"),
        shutdown=derived("rayjob", True, "the cluster ends with the command and releases its GPUs"),
        ttl=derived("rayjob", 0, "at once: the cluster holds its GPUs until then"),
        deadline=jobs.deadline(spec, _STOPPED),
        backoff_limit=from_spec(
            ("spec", "retries", "limit"),
            spec.retries.limit,
            "commands that may fail; each is tried again in a new cluster, and disruptions count",
        ),
        version=_ray.version(spec),
        head_params=_ray.head_params(of.resolution),
        head=of.roles[HEAD].pod,
        group=derived("rayjob", "workers", "part of its pods' names"),
        workers=worker.count,
        hosts=derived("rayjob", 1, "the API's default"),
        worker_params=_ray.worker_params(of.resolution, worker.pod),
        worker=worker.pod,
        submitter=of.roles[SUBMITTER].pod,
    )
    return {"rayjob": job}


def _entrypoint(spec: TrainingFields) -> str:
    """Return the command quoted for a shell; the submitter's shell passes it to Ray word by word."""
    return shlex.join((*spec.command, *spec.args))


def _launch(resolution: Resolution, spec: TrainingFields, name: Decision) -> LaunchPlan:
    """Return a launch without a process in the workers' pods: Ray starts processes there when the
    command requests it.
    """
    text = (
        "the command runs on the head, which has no GPU, and starts processes on the workers "
        f"through Ray: one for each of the cluster's {spec.workers * resolution.gpus} GPUs"
    )
    return LaunchPlan(None, None, (), (Note(text, Origin("spec", ("spec", "command"))),))


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    spec, workers = of.resolution.spec, of.roles[WORKER]
    assert isinstance(spec, TrainingFields)
    return {
        WORKER: PodRole(
            _ray.workers(of.resolution, workers.pod, of.name, submitted=True), workers.count
        ),
        HEAD: PodRole(
            _ray.head(of.resolution, workers.pod, of.name),
            derived("rayjob", 1, "a cluster has one head"),
        ),
        SUBMITTER: PodRole(
            _ray.submitter(of.resolution, spec, workers.pod),
            derived("rayjob", 1, "one pod submits the command"),
        ),
    }


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for commands that Ray cannot start, and names that KubeRay does not accept."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, TrainingFields)
    reasons: list[RefusalReason] = []
    launched_program = program(line(spec.command, spec.args)[0])
    if not spec.command:
        text = "a RayJob runs a `command` on its head, but the spec has none"
        reasons.append(
            RefusalReason(text, workload.place(("spec",)), "write command: [python, train.py]")
        )
    elif launched_program.starts_processes:
        text = f"`{' '.join(spec.command[:3])}` starts processes on the head, which has no GPU"
        hint = "start a program that starts them through Ray, such as a TorchTrainer"
        reasons.append(RefusalReason(text, workload.place(("spec", "command")), hint))
    if spec.launcher not in (None, "none"):
        text = (
            f"`launcher: {spec.launcher}` does not work with target rayjob: Ray starts the "
            "processes"
        )
        reasons.append(
            RefusalReason(text, workload.place(("spec", "launcher")), "delete `launcher`")
        )
    reasons += _ray.uncounted(resolution, "target rayjob supports GPUs of NVIDIA and AMD")
    if codes := [code for code in spec.retries.ending if code not in NEVER_RAN]:
        code_list = ", ".join(map(str, codes))
        text = f"a RayJob ignores exit codes: it would retry after {code_list}"
        reasons.append(RefusalReason(text, workload.place(("spec", "retries"))))
    if spec.ttl_after_finished is not None:
        text = (
            "KubeRay never deletes a RayJob: its own `ttlSecondsAfterFinished` would only "
            "keep the cluster, with its GPUs"
        )
        place = workload.place(("spec", "ttlAfterFinished"))
        reasons.append(RefusalReason(text, place, "delete `ttlAfterFinished`"))
    name = unnamed(resolution)
    return reasons + _ray.misnamed(
        resolution, name, "RayJob", LONGEST, f"<name>{suffix_of(resolution)}"
    )


def _notes(resolution: Resolution) -> list[Note]:
    """Return loud notes if nothing limits the total time of all retries, and if a queue has only
    GPU nodes."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    notes: list[Note] = []
    if spec.duration.max is not None and spec.retries.limit and spec.queue is None:
        text = (
            f"`duration.max` ({spec.duration.max}) starts over with each retry of a RayJob: "
            "only a queue limits the total"
        )
        notes.append(Note(text, Origin("spec", ("spec", "duration", "max")), loud=True))
    return [*notes, *flavors(resolution, [HEAD, SUBMITTER], ("spec", "queue"))]


TARGET = Target(
    name="rayjob",
    api="ray.io/v1",
    kind="RayJob",
    intents=("gang",),
    roles=(WORKER, HEAD, SUBMITTER),
    fields=_fields,
    # Retries of a RayJob came with 1.2.
    needs=TargetRequirement("kuberay", since="1.2", checked="1.6"),
    ranks=Ranks(
        # Ray tells its processes itself.
        variable="",
        field="",
        why="",
        first=lambda rayjob: f"{rayjob}-head-svc",
        pods=_ray.PODS,
        own={_ray.NODE_TYPE: WORKER},
        network=True,
    ),
    launch=_launch,
    pods=_pods,
    queued=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
