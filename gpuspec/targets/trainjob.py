"""TrainJob (Kubeflow Trainer 2.3): a run, and the TrainingRuntime that has its pods. Sources: its CRDs, webhooks and controller.

Trainer makes a JobSet of both. The TrainJob says how many nodes there are, what each has, and for how
long; the runtime, which is this run's alone, all else of its pods and what restarts them.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import jobs, names, queueing
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import NodeMap, ObjectPlan, Part, Role
from gpuspec.plan.leaf import Node, derived, from_spec
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.target import Carried, Needs, Ranks, Target
from gpuspec.spec import TrainingFields
from gpuspec.targets import _jobset, _names

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


class RuntimePlan(msgspec.Struct, frozen=True):
    """The TrainingRuntime of one run."""

    name: Node
    nodes: Node
    torch: Node
    steps: NodeMap
    """Labels of the workers' Job."""
    jobset: _jobset.JobSetPlan


def _fields(of: Carried) -> Mapping[str, Part]:
    case, spec = of.case, of.case.spec
    assert isinstance(spec, TrainingFields)
    workers = of.roles[ROLE]
    found = "where the pods are: a runtime of this namespace"
    job = TrainJobPlan(
        name=of.name,
        labels=queueing.labels(case),
        annotations=jobs.annotations(of),
        runtime={
            "apiGroup": derived("trainjob", API.partition("/")[0], found),
            "kind": derived("trainjob", "TrainingRuntime", found),
            "name": names.holder_name(of.name, of.digest),
        },
        nodes=workers.count,
        processes=from_spec(
            ("spec", "gpu", "count"), processes(case), f"one process per {driven(case)}"
        ),
        resources=workers.pod.containers[0].resources,
        deadline=jobs.deadline(spec, _TIME),
    )
    return {"trainjob": job}


def _files(of: Carried) -> tuple[ObjectPlan, ...]:
    """The runtime, which is there before the TrainJob that names it."""
    runtime = RuntimePlan(
        name=names.holder_name(of.name, of.digest),
        nodes=of.roles[ROLE].count,
        torch=derived("trainjob", {}, "Trainer tells torchrun of nodes and processes, as we do"),
        steps={_STEP: derived("trainjob", "trainer", "the Job whose pods the TrainJob is about")},
        jobset=_jobset.jobset(of, timed=False),
    )
    return (ObjectPlan(HOLDER, {"runtime": runtime}),)


def _pods(of: Carried) -> Mapping[str, Role]:
    """The workers, with the container that Trainer asks for."""
    workers = of.roles[ROLE]
    main, *others = workers.pod.containers
    why = "Trainer asks for a container of this name"
    main = replace(main, name=derived("trainjob", ROLE, why))
    return {ROLE: replace(workers, pod=replace(workers.pod, containers=(main, *others)))}


def _refused(case: Case) -> list[Refused]:
    """Names that are too long for its pods, or begin with a digit."""
    end = f"-{ROLE}-0-{case.workers - 1}-abcde"
    return _names.refused(case, TARGET.kind, end, f"-{ROLE}-0-<index>-<5 letters>")


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
        first=lambda job: f"{job}-{ROLE}-0-0.{job}",
        # The JobSet has the TrainJob's name.
        pods="jobset.sigs.k8s.io/jobset-name",
        network=True,
    ),
    pods=_pods,
    files=_files,
    holder=HOLDER,
    queued=True,
    once=True,
    # Its JobSet alone is deleted, with the pods.
    stays=True,
    refused=_refused,
)
