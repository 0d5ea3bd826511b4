"""How many of a gang must be there before any starts: more than there are, or too few."""

from collections.abc import Iterator

from gpuspec.kinds import kubeflow
from gpuspec.kinds.owned import PARTIAL
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.gangs import MIN_MEMBER, gang_of, scheduler_of
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU703",
    "gang-minimum",
    "error",
    "A gang requires more pods than exist, or starts with too few",
    gives_way=("GPU745",),
    fix="unsafe",
)
_VOLCANO = {
    ("batch.volcano.sh", "Job"): ("spec",),
    ("batch.volcano.sh", "CronJob"): ("spec", "jobTemplate", "spec"),
}
# Plugins of Volcano that tell every worker of all the others.
_WORLDS = ("mpi", "pytorch", "tensorflow", "ray")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Volcano's jobs, the Kubeflow operators' policy, leaders and workers, parallel Jobs."""
    inside = _VOLCANO.get((obj.group, obj.kind))
    if inside is not None:
        yield from _volcano(obj, inside)
    elif obj.group == kubeflow.GROUP:
        yield from _kubeflow(obj)
    elif obj.is_a("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        yield from _leader_first(obj)
    elif obj.is_a("batch", "Job"):
        yield from _job(obj)


def _volcano(obj: Object, inside: tuple[str, ...]) -> Iterator[RawFinding]:
    spec = mapping(at(obj.value, inside))
    total: int | None = 0
    for index, task in enumerate(items(spec.get("tasks"))):
        task = mapping(task)
        replicas = _number(task.get("replicas", 1))
        total = None if total is None or replicas is None else total + replicas
        least = _number(task.get("minAvailable"))
        if least is not None and replicas is not None and least > replicas:
            path = obj.path(*inside, "tasks", index, "minAvailable")
            yield _too_many(
                path, "minAvailable", least, replicas, "Volcano's webhook rejects the job"
            )
    least = _number(spec.get("minAvailable"))
    path = obj.path(*inside, "minAvailable")
    if least is None or total is None:
        return
    if least > total:
        yield _too_many(path, "minAvailable", least, total, "Volcano's webhook rejects the job")
    elif 0 < least < total and (
        any(name in mapping(spec.get("plugins")) for name in _WORLDS) or _waits_for(obj, total)
    ):
        yield _too_few(path, "minAvailable", least, total)


def _waits_for(obj: Object, total: int) -> bool:
    """Return whether a launcher is configured for this number of nodes."""
    launches = (launch_of(container) for pod in obj.pods for container in pod.containers)
    return any(launch is not None and launch.least_nodes == total for launch in launches)


def _kubeflow(obj: Object) -> Iterator[RawFinding]:
    inside = ("spec", "runPolicy", "schedulingPolicy", "minAvailable")
    least = _number(at(obj.value, inside))
    counts = [pod.role.count for pod in obj.pods]
    known_counts = [count for count in counts if count is not None]
    if least is None or len(known_counts) < len(counts) or not known_counts:
        return
    total = sum(known_counts)
    path = obj.path(*inside)
    if obj.traits.mpi and obj.spec.get("launcherCreationPolicy") == "WaitForWorkersReady":
        workers = total - 1
        if least > workers:
            yield RawFinding(
                path,
                f"`minAvailable` is {least}, but `launcherCreationPolicy: WaitForWorkersReady` "
                f"creates the launcher only after the {workers} workers are ready: the gang and "
                "the launcher wait for each other",
                fix=set_field(path, workers),
            )
            return
    if least > total:
        yield _too_many(path, "minAvailable", least, total, "its pods stay Pending")
    # An MPI launcher waits for its workers anyway.
    elif least < total - obj.traits.mpi and not obj.spec.get("elasticPolicy"):
        yield _too_few(path, "minAvailable", least, total)


def _leader_first(obj: Object) -> Iterator[RawFinding]:
    """Yield a finding for Volcano if a leader starts first: the leader alone is then the group."""
    volcano = "scheduling.volcano.sh/queue-name" in obj.annotations or any(
        scheduler_of(pod) == "volcano" for pod in obj.pods
    )
    gang = gang_of(obj)
    if obj.spec.get("startupPolicy") != "LeaderReady" or not volcano or gang is None:
        return
    path = obj.path("spec", "startupPolicy")
    yield RawFinding(
        path,
        "`startupPolicy: LeaderReady` gives the group's PodGroup `minMember: 1`: a leader takes "
        "GPUs even if none are left for its workers",
        severity="warning",
        fix=set_field(path, "LeaderCreated"),
    )


def _job(obj: Object) -> Iterator[RawFinding]:
    parallelism = _number(obj.spec.get("parallelism", 1))
    if parallelism is None:
        return
    completions = _number(obj.spec.get("completions", parallelism))
    most, field = parallelism, "parallelism"
    if completions is not None and completions < parallelism:
        most, field = completions, "completions"
    least = read_whole(obj.annotations.get(PARTIAL))
    path = obj.path("metadata", "annotations", PARTIAL)
    if least is not None and least >= most:
        yield RawFinding(
            path,
            f"`{PARTIAL}` must be less than `{field}` ({most}): Kueue's webhook rejects the object",
            note=f"set `{PARTIAL}` below {most}",
        )
    elif least is not None and gang_of(obj) is not None:
        yield _too_few(path, PARTIAL, least, parallelism)
    min_members = read_whole(obj.annotations.get(MIN_MEMBER))
    if min_members is not None and min_members > parallelism:
        path = obj.path("metadata", "annotations", MIN_MEMBER)
        yield _too_many(path, MIN_MEMBER, min_members, parallelism, "its pods stay Pending")


def _too_many(path: Path, name: str, least: int, total: int, consequence: str) -> RawFinding:
    return RawFinding(
        path,
        f"`{name}` is {least}, but there are {total} pods: {consequence}",
        fix=set_field(path, _like(name, total)),
    )


def _too_few(path: Path, name: str, least: int, total: int) -> RawFinding:
    return RawFinding(
        path,
        f"`{name}` is {least}, but all {total} pods are needed: {least} pods can occupy GPUs "
        "while they wait for the rest",
        severity="warning",
        confidence="likely",
        fix=Fix("require all of the pods", (_all(path, name, total),)),
    )


def _all(path: Path, name: str, total: int) -> Change:
    """Return the change to all pods: remove the annotation that asks for fewer."""
    return Drop(path, emptied=True) if name == PARTIAL else Put(path, total)


def _like(name: str, total: int) -> int | str:
    """Return a number as the annotation's text."""
    return str(total) if "/" in name else total


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
