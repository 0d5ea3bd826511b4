"""TrainJob (Kubeflow Trainer 2.3): a run, and the TrainingRuntime that has its pods. Sources: its CRDs, webhooks and controller.

Trainer makes a JobSet of both. The TrainJob says how many nodes there are, what each has, and for how
long; the runtime, which is this run's alone, all else of its pods and what restarts them. Where the
profile names a runtime of the platform's, the TrainJob says all that it can of its pods.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import jobs, launch, names, queueing
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import ContainerPlan, NodeMap, ObjectPlan, Part, Role
from gpuspec.plan.leaf import Leaf, Node, Note, derived, from_profile, from_spec
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.target import Carried, Needs, Ranks, Target
from gpuspec.spec import TrainingFields
from gpuspec.targets import _jobset, _training_runtime

ROLE = "node"
"""The Job whose pods Trainer tells of each other, and the container that it tells it in."""
API, HOLDER = "trainer.kubeflow.org/v1alpha1", "trainjob-runtime"
_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_TIME = "ended {longest} after its start, restarts included: a hung run holds its GPUs"


class TrainJobPlan(msgspec.Struct, frozen=True):
    """A TrainJob; what its webhook would fill in is written out."""

    name: Node
    labels: NodeMap
    annotations: NodeMap
    runtime: NodeMap
    nodes: Node
    processes: Node
    resources: NodeMap
    deadline: Node
    main: ContainerPlan | None = None
    """What the runtime does not say of the main container."""
    patches: tuple[_training_runtime.PatchPlan, ...] = ()


class RuntimePlan(msgspec.Struct, frozen=True):
    """The TrainingRuntime of one run."""

    name: Node
    nodes: Node
    torch: Node
    jobset: _jobset.JobSetPlan


def _fields(of: Carried) -> Mapping[str, Part]:
    case, spec = of.case, of.case.spec
    assert isinstance(spec, TrainingFields)
    workers = of.roles[ROLE]
    job = TrainJobPlan(
        name=of.name,
        labels=queueing.labels(case),
        annotations=jobs.annotations(of),
        runtime=_reference(of),
        nodes=workers.count,
        processes=from_spec(
            ("spec", "gpu", "count"), processes(case), f"one process per {driven(case)}"
        ),
        # Trainer takes requests and limits of it alone, and then the runtime's claims are lost.
        resources={} if workers.pod.resource_claims else workers.pod.containers[0].resources,
        deadline=jobs.deadline(spec, _TIME),
    )
    if _training_runtime.runtime_of(case) is not None:
        pod = workers.pod
        made = _training_runtime.patch(case, pod, ROLE)
        job = replace(job, main=pod.containers[0], patches=(made,))
    return {"trainjob": job}


def _reference(of: Carried) -> NodeMap:
    """The runtime: the platform's where it keeps one, else the run's own."""
    kept = _training_runtime.runtime_of(of.case)
    group = API.partition("/")[0]
    if kept is None:
        found = "where the pods are: a runtime of this namespace"
        return {
            "apiGroup": derived("trainjob", group, found),
            "kind": derived("trainjob", "TrainingRuntime", found),
            "name": names.holder_name(of.name, of.digest),
        }
    path, found = _training_runtime.PATH, "the runtime that the platform keeps"
    return {
        "apiGroup": from_profile(path, group, found),
        "kind": from_profile((*path, "kind"), kept.kind, found),
        "name": from_profile((*path, "name"), kept.name, found),
    }


def _files(of: Carried) -> tuple[ObjectPlan, ...]:
    """The run's own runtime, which is there before the TrainJob that names it."""
    if _training_runtime.runtime_of(of.case) is not None:
        return ()
    made = _jobset.jobset(of, timed=False)
    runtime = RuntimePlan(
        name=names.holder_name(of.name, of.digest),
        nodes=of.roles[ROLE].count,
        torch=derived("trainjob", {}, "Trainer tells torchrun of nodes and processes, as we do"),
        jobset=replace(made, jobs=tuple(map(_told, made.jobs))),
    )
    return (ObjectPlan(HOLDER, {"runtime": runtime}),)


def _told(job: _jobset.ReplicatedJobPlan) -> _jobset.ReplicatedJobPlan:
    """A Job of the runtime; that of the workers has the label by which TrainJobs know it."""
    assert isinstance(job.name, Leaf)
    if job.name.value != ROLE:
        return job
    step = derived("trainjob", "trainer", "the Job whose pods the TrainJob is about")
    return replace(job, labels={_STEP: step})


def _pods(of: Carried) -> Mapping[str, Role]:
    """The workers, with the container that Trainer asks for."""
    workers = of.roles[ROLE]
    main, *others = workers.pod.containers
    why = "Trainer asks for a container of this name"
    main = replace(main, name=derived("trainjob", ROLE, why))
    pod = replace(workers.pod, containers=(main, *others))
    if _training_runtime.runtime_of(of.case) is not None:
        pod = _training_runtime.told(pod)
    return {**of.roles, ROLE: replace(workers, pod=pod)}


def _refused(case: Case) -> list[Refused]:
    """Names that are too long for its pods, or begin with a digit; what a platform's runtime loses."""
    return [*_jobset.refused(case, TARGET.kind, ROLE), *_training_runtime.refused(case)]


def _notes(case: Case) -> list[Note]:
    """What the platform's runtime decides."""
    spec, ranks = case.spec, TARGET.ranks
    assert isinstance(spec, TrainingFields)
    assert ranks is not None
    started = launch.launch(case, spec, ranks, names.object_name(case, TARGET, None))
    return _training_runtime.notes(case, started.env)


TARGET = Target(
    name="trainjob",
    api=API,
    kind="TrainJob",
    intents=("gang",),
    roles=(ROLE,),
    fields=_fields,
    # A deadline of its own, and rules of JobSet by the words of a failure, came with 2.2.
    needs=Needs("kubeflow-trainer", since="2.2", checked="2.3"),
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
