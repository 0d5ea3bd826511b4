"""MPIJob (MPI operator 0.8): workers, and a launcher that starts processes in them. Sources: its
CRD, `validation.go` and controller."""

import math
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.enumeration import counted
from gpuspec.plan import jobs, launcher, mpirun, queueing, roles, sshd
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.facets import LaunchPlan, NodeMap, ObjectPlan, Part, PodPlan, PodRole
from gpuspec.plan.reduced_requests import leaving_room
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, Target, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.targets import _names

WORKER, LAUNCHER = "worker", "launcher"
LABEL = "training.kubeflow.org/"
_HOSTFILE = "/etc/mpi/hostfile"
_LOOK, _LOOKS = 2, 1800
"""Seconds between two checks for a worker, and the checks of a launcher that nothing else stops: an
hour."""
_CALLED = {"openmpi": "OpenMPI", "intel": "Intel", "mpich": "MPICH"}
_TIME = "stopped {longest} after the launcher was made, retries included: a hung run holds its GPUs"


class ReplicasPlan(msgspec.Struct, frozen=True):
    """The pods of one role."""

    replicas: PlanPart
    restart: PlanPart
    pod: PodPlan


class MPIJobPlan(msgspec.Struct, frozen=True):
    """An MPIJob; what its CRD would fill in is written out."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap
    slots: PlanPart
    mpi: PlanPart
    keys: PlanPart
    creation: PlanPart
    launcher_works: PlanPart
    clean: PlanPart
    backoff_limit: PlanPart
    deadline: PlanPart
    launcher: ReplicasPlan
    worker: ReplicasPlan


class FilesPlan(msgspec.Struct, frozen=True):
    """The ConfigMap of the files that ssh needs in a pod."""

    name: PlanPart
    data: NodeMap


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    slots = mpirun.slots(of.resolution)
    mpi = _CALLED[mpirun.mpi(spec)]
    job = MPIJobPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations=jobs.annotations(of),
        slots=from_spec(("spec", "gpu", "count"), slots, "a process for each GPU of a worker"),
        mpi=from_spec(("spec", "mpi"), mpi, "the form of hosts and slots")
        if spec.mpi
        else derived("mpijob", mpi, "the API's default"),
        keys=derived("sshd", sshd.keys(of.resolution), "a folder whose keys ssh can read"),
        creation=derived(
            "mpijob",
            "WaitForWorkersReady",
            "a launcher that starts before its workers uses up a retry",
        ),
        launcher_works=derived("mpijob", False, "the launcher has no GPU"),
        clean=derived(
            "mpijob", "Running", "the workers end with the launcher, and release their GPUs"
        ),
        backoff_limit=from_spec(
            ("spec", "retries", "limit"),
            spec.retries.limit,
            "launchers that may fail; disruptions count too, since they end what mpirun has "
            "started",
        ),
        deadline=jobs.deadline(spec, _TIME),
        # A launcher that failed is kept to be read; a worker whose container ended serves the next.
        launcher=_replicas(
            of.roles[LAUNCHER], "Never", "a launcher that failed is kept, with its log"
        ),
        worker=_replicas(of.roles[WORKER], "OnFailure", "the next launcher finds all workers"),
    )
    return {"mpijob": job}


def _replicas(role: PodRole, restart: str, why: str) -> ReplicasPlan:
    return ReplicasPlan(role.count, derived("mpijob", restart, why), role.pod)


def _launch(resolution: Resolution, spec: TrainingFields, name: Decision) -> LaunchPlan:
    first = Decision(_host(name.value), "rank 0's stable host name", name.origin)
    return mpirun.launch(resolution, spec, first)


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    """Return workers that serve ssh, and a launcher that runs the command that workers run on other
    targets."""
    workers = of.roles[WORKER]
    decision = derived("mpijob", 1, "one launcher starts all processes")
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    script = _wait(of.name.value, workers.count.value, bounded=spec.duration.max is not None)
    first = launcher.launcher(of.resolution, workers.pod, of.name, _told(of.resolution), script)
    resources = launcher.asked(of.resolution).resources
    cpu, memory = math.ceil(resources.cpu.value * 1000), math.ceil(resources.memory.value)
    room = leaving_room(of.resolution, workers.pod, cpu, memory, "the launcher")
    served = sshd.serving(of.resolution, room, of.name)
    return {WORKER: replace(workers, pod=served), LAUNCHER: PodRole(first, decision)}


def _wait(name: str, workers: int, *, bounded: bool) -> str:
    """Return a script that ends when each worker has sent its host key: its name resolves and its
    server runs.

    `bounded`: the run has a time limit; else the script gives up on a worker that does not start.
    """
    host = f"{name}-{WORKER}-$i.{name}"
    given_up = f"n=$((n+1)); [ $n -lt {_LOOKS} ] || exit 1; "
    return (
        f"i=0; {'' if bounded else 'n=0; '}while [ $i -lt {workers} ]; do "
        f'until [ -n "$(ssh-keyscan -T 5 -p {sshd.PORT} "{host}" 2>/dev/null)" ]; do '
        f"{'' if bounded else given_up}sleep {_LOOK}; done; i=$((i+1)); done"
    )


def _told(resolution: Resolution) -> tuple[Decision, ...]:
    """Return the launcher's variables besides those of its controller, which are for Open MPI 4."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    if mpirun.mpi(spec) != "openmpi":
        return ()
    newer = "the controller's setting for Open MPI 4, under its name in version 5"
    variables = {
        "PRTE_MCA_prte_default_hostfile": (_HOSTFILE, newer),
        "PRTE_MCA_prte_keep_fqdn_hostnames": ("true", newer),
    }
    if sshd.is_root(resolution):
        why = "else Open MPI does not run as root"
        variables |= {
            "OMPI_ALLOW_RUN_AS_ROOT": ("1", why),
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": ("1", why),
        }
    return tuple(
        derived("mpijob", {"name": name, "value": value}, why)
        for name, (value, why) in variables.items()
        if name not in resolution.spec.env
    )


def _files(of: TargetInput) -> tuple[ObjectPlan, ...]:
    why = "named like the run, whose pods read it"
    name = Decision(f"{of.name.value}-{sshd.VOLUME}", why, of.name.origin)
    files = FilesPlan(name, sshd.files(of.resolution, of.roles[WORKER].pod))
    return (ObjectPlan("mpijob-sshd", {"files": files}),)


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for names that its controller refuses, features that MPI or ssh lack, and
    exit codes that no controller reads."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    reasons = [*mpirun.refused(resolution, spec), *sshd.refused(resolution)]
    last = max(f"-{WORKER}-{spec.workers - 1}", f"-{LAUNCHER}", key=len)
    reasons += _names.refused(resolution, TARGET.kind, last, f"-{WORKER}-<index>")
    codes = spec.retries.fail_on_exit_codes
    if codes not in ((), type(spec.retries)().fail_on_exit_codes):
        text = "an MPIJob ignores `retries.failOnExitCodes`: it retries after any exit code"
        where = resolution.workload.place(("spec", "retries", "failOnExitCodes"))
        reasons.append(RefusalReason(text, where, "delete it, or choose another target"))
    return reasons


def _notes(resolution: Resolution) -> list[Note]:
    """Return notes on what the image needs, what the launcher is, and what an interruption costs."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    image = (
        "the image needs OpenSSH (/usr/sbin/sshd, ssh and ssh-keyscan), /bin/sh and the MPI: "
        "mpirun reaches the workers by ssh"
    )
    resources = launcher.asked(resolution).resources
    pods = (
        f"{counted(spec.workers, 'worker')} and a launcher without GPUs ({resources.cpu} CPU, "
        f"{resources.memory} of memory), on any node whose taints it tolerates"
    )
    target = Origin("spec", ("spec", "image"))
    notes = [Note(image, target, loud=True), Note(pods, Origin("spec", ("spec", "workers")))]
    if spec.checkpoint is not None:
        text = (
            "the processes of a worker end with its sshd, at SIGTERM: an interrupted run "
            "resumes from the last periodic "
            f"checkpoint and loses up to {spec.checkpoint.every} of work"
        )
        notes.append(Note(text, Origin("spec", ("spec", "checkpoint", "save")), loud=True))
    return [*notes, *roles.flavors(resolution, [LAUNCHER], ("spec", "queue"))]


def _pod(name: str, number: int) -> str:
    return f"{name}-{WORKER}-{number}"


def _host(name: str) -> str:
    return f"{_pod(name, 0)}.{name}"


TARGET = Target(
    name="mpijob",
    api="kubeflow.org/v2beta1",
    kind="MPIJob",
    intents=("gang",),
    roles=(WORKER, LAUNCHER),
    fields=_fields,
    # A launcher that is made when the workers are ready came with 0.6.
    needs=TargetRequirement("mpi-operator", since="0.6", checked="0.8"),
    ranks=Ranks(
        variable="",
        field=f"metadata.labels['{LABEL}replica-index']",
        why="the worker's number",
        first=_host,
        pods=f"{LABEL}job-name",
        own={f"{LABEL}job-role": WORKER},
        network=True,
    ),
    launch=_launch,
    pods=_pods,
    files=_files,
    queued=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
