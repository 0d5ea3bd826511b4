"""TrainJob (Kubeflow Trainer 2.3): a run, and the TrainingRuntime with its pods. Sources: its CRDs,
webhooks and controller.

Trainer creates a JobSet from both. The TrainJob sets the number of nodes, the resources of each,
and the time limit. The runtime, which belongs to this run only, sets everything else of its pods
and their restarts. If the profile names a runtime of the platform, the TrainJob sets all fields of
its pods that it can.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import jobs, launch, names, queueing
from gpuspec.plan.decision import Decision, Note, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.facets import ContainerPlan, NodeMap, ObjectPlan, Part, PodRole
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, Target, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.targets import _jobset, _training_runtime

ROLE = "node"
"""The Job and the container that Trainer passes the addresses of the workers to."""
API, HOLDER = "trainer.kubeflow.org/v1alpha1", "trainjob-runtime"
_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_TIME = "ended {longest} after its start, restarts included: a hung run holds its GPUs"


class TrainJobPlan(msgspec.Struct, frozen=True):
    """A TrainJob; what its webhook would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    runtime: NodeMap
    nodes: PlanPart
    processes: PlanPart
    resources: NodeMap
    deadline: PlanPart
    main: ContainerPlan | None = None
    """Fields of the main container that the runtime does not set."""
    patches: tuple[_training_runtime.PatchPlan, ...] = ()


class RuntimePlan(msgspec.Struct, frozen=True):
    """The TrainingRuntime of one run."""

    name: PlanPart
    nodes: PlanPart
    torch: PlanPart
    jobset: _jobset.JobSetPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    resolution, spec = of.resolution, of.resolution.spec
    assert isinstance(spec, TrainingFields)
    workers = of.roles[ROLE]
    job = TrainJobPlan(
        name=of.name,
        labels=queueing.labels(resolution),
        annotations=jobs.annotations(of),
        runtime=_reference(of),
        nodes=workers.count,
        processes=from_spec(
            ("spec", "gpu", "count"), processes(resolution), f"one process per {driven(resolution)}"
        ),
        # Trainer takes requests and limits of it alone, and then the runtime's claims are lost.
        resources={} if workers.pod.resource_claims else workers.pod.containers[0].resources,
        deadline=jobs.deadline(spec, _TIME),
    )
    if _training_runtime.runtime_of(resolution) is not None:
        pod = workers.pod
        patch_plan = _training_runtime.patch(resolution, pod, ROLE)
        job = replace(job, main=pod.containers[0], patches=(patch_plan,))
    return {"trainjob": job}


def _reference(of: TargetInput) -> NodeMap:
    """Return the runtime: the platform's if it has one, else the run's own."""
    training_runtime = _training_runtime.runtime_of(of.resolution)
    group = API.partition("/")[0]
    if training_runtime is None:
        reason = "the template of the pods: a runtime of this namespace"
        return {
            "apiGroup": derived("trainjob", group, reason),
            "kind": derived("trainjob", "TrainingRuntime", reason),
            "name": names.holder_name(of.name, of.digest),
        }
    path, reason = _training_runtime.PATH, "the runtime of the platform"
    return {
        "apiGroup": from_profile(path, group, reason),
        "kind": from_profile((*path, "kind"), training_runtime.kind, reason),
        "name": from_profile((*path, "name"), training_runtime.name, reason),
    }


def _files(of: TargetInput) -> tuple[ObjectPlan, ...]:
    """Return the run's own runtime, which must exist before the TrainJob that names it."""
    if _training_runtime.runtime_of(of.resolution) is not None:
        return ()
    set_plan = _jobset.jobset(of, timed=False)
    runtime = RuntimePlan(
        name=names.holder_name(of.name, of.digest),
        nodes=of.roles[ROLE].count,
        torch=derived("trainjob", {}, "Trainer passes nodes and processes to torchrun"),
        jobset=replace(set_plan, jobs=tuple(map(_told, set_plan.jobs))),
    )
    return (ObjectPlan(HOLDER, {"runtime": runtime}),)


def _told(job: _jobset.ReplicatedJobPlan) -> _jobset.ReplicatedJobPlan:
    """Return a Job of the runtime; that of the workers has the label that TrainJobs find it by."""
    assert isinstance(job.name, Decision)
    if job.name.value != ROLE:
        return job
    step = derived("trainjob", "trainer", "the Job whose pods the TrainJob configures")
    return replace(job, labels={_STEP: step})


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    """Return the workers, with the container name that Trainer looks for."""
    workers = of.roles[ROLE]
    main, *others = workers.pod.containers
    why = "Trainer looks for a container of this name"
    main = replace(main, name=derived("trainjob", ROLE, why))
    pod = replace(workers.pod, containers=(main, *others))
    if _training_runtime.runtime_of(of.resolution) is not None:
        pod = _training_runtime.told(pod)
    return {**of.roles, ROLE: replace(workers, pod=pod)}


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for names that are too long for its pods or begin with a digit, and for
    settings that a platform's runtime drops."""
    return [*_jobset.refused(resolution, TARGET.kind, ROLE), *_training_runtime.refused(resolution)]


def _notes(resolution: Resolution) -> list[Note]:
    """Return what the platform's runtime decides."""
    spec, ranks = resolution.spec, TARGET.ranks
    assert isinstance(spec, TrainingFields)
    assert ranks is not None
    started = launch.launch(resolution, spec, ranks, names.object_name(resolution, TARGET, None))
    return _training_runtime.notes(resolution, started.env)


TARGET = Target(
    name="trainjob",
    api=API,
    kind="TrainJob",
    intents=("gang",),
    roles=(ROLE,),
    fields=_fields,
    # A deadline of its own, and rules of JobSet by the words of a failure, came with 2.2.
    needs=TargetRequirement("kubeflow-trainer", since="2.2", checked="2.3"),
    ranks=Ranks(
        variable=jobs.RANK,
        field=jobs.RANK_FIELD,
        why=jobs.RANK_WHY,
        first=lambda job: _jobset.host(job, ROLE, 0),
        # The JobSet has the TrainJob's name.
        pods="jobset.sigs.k8s.io/jobset-name",
        network=True,
    ),
    beside=_jobset.BESIDE,
    pods=_pods,
    files=_files,
    holder=HOLDER,
    queued=True,
    once=True,
    # Its JobSet alone is deleted, with the pods.
    stays=True,
    refused=_refused,
    notes=_notes,
)
