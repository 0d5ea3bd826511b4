"""GPUs that stay with a run that has ended."""

from collections.abc import Iterator

from gpuspec.kinds.ray import JOBS
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU759",
    "held-after-end",
    "warning",
    "A finished run keeps its GPUs until it is deleted",
    gives_way=("GPU717", "GPU742"),
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield RayJobs that leave their cluster, and MPIJobs that leave their workers."""
    gpus = sum(pod.gpus * (pod.role.count or 1) for pod in obj.pods if not _starts(pod.role.name))
    if not gpus:
        return
    if obj.kind in JOBS:
        yield from _cluster(obj, gpus)
    elif obj.version == "v2beta1":
        yield from _workers(obj, gpus)


def _starts(role: str) -> bool:
    return role in ("submitter", "launcher")


def _cluster(obj: Object, gpus: int) -> Iterator[RawFinding]:
    inside = JOBS[obj.kind]
    spec = mapping(at(obj.value, inside))
    if spec.get("clusterSelector") or spec.get("deletionStrategy"):
        # Somebody else's cluster, or rules of its own.
        return
    if spec.get("shutdownAfterJobFinishes") is not True:
        path = obj.path(*inside, "shutdownAfterJobFinishes")
        ttl = " (`ttlSecondsAfterFinished` alone has no effect)"
        yield _held(
            path,
            "the cluster keeps running after the job has ended"
            + (ttl if spec.get("ttlSecondsAfterFinished") is not None else ""),
            gpus,
            set_field(path, True),
        )


def _workers(obj: Object, gpus: int) -> Iterator[RawFinding]:
    policy = mapping(obj.spec.get("runPolicy"))
    clean_pod_policy = policy.get("cleanPodPolicy")
    if clean_pod_policy not in (None, "None") or policy.get("ttlSecondsAfterFinished") is not None:
        return
    path = obj.path("spec", "runPolicy", "cleanPodPolicy")
    predicate = "is `None`" if clean_pod_policy else "defaults to `None`"
    yield _held(
        path,
        f"`cleanPodPolicy` {predicate}, and MPI workers keep running after the launcher has ended",
        gpus,
        set_field(path, "Running"),
    )


def _held(path: Path, why: str, gpus: int, fix: Fix) -> RawFinding:
    held_gpus = "1 GPU is" if gpus == 1 else f"{gpus} GPUs are"
    return RawFinding(path, f"{why}: {held_gpus} held until the object is deleted", fix=fix)
