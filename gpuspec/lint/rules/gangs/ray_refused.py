"""A Ray object that the API server accepts and KubeRay never starts."""

from collections.abc import Iterator
from typing import Any

from gpuspec.kinds.ray import CLUSTERS
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import queue_of

RULE = Rule(
    "GPU742",
    "ray-refused",
    "error",
    "KubeRay does not start a Ray object with conflicting fields",
    fix="unsafe",
)
_RESOURCES = ("num-cpus", "num-gpus", "memory", "resources")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield what its validation sets the object's status to failed for."""
    if obj.kind == "RayJob":
        yield from _job(obj)
    inside = CLUSTERS[obj.kind]
    cluster = mapping(at(obj.value, inside))
    groups = items(cluster.get("workerGroupSpecs"))
    for index, group in enumerate(groups):
        path = obj.path(*inside, "workerGroupSpecs", index)
        least, most = (_number(mapping(group).get(f"{end}Replicas")) for end in ("min", "max"))
        if least is not None and most is not None and least > most:
            yield RawFinding(
                (*path, "minReplicas"),
                f"`minReplicas` {least} is more than `maxReplicas` {most}: KubeRay does not start the "
                "cluster",
                note=f"set `minReplicas` to at most {most}",
            )
        yield from _twice(path, mapping(group))
    yield from _twice(obj.path(*inside, "headGroupSpec"), mapping(cluster.get("headGroupSpec")))


def _job(obj: Object) -> Iterator[RawFinding]:
    spec = obj.spec
    if not spec.get("clusterSelector") and spec.get("rayClusterSpec") is None:
        yield RawFinding(
            obj.path("spec", "rayClusterSpec"),
            "a RayJob needs either `rayClusterSpec` or a `clusterSelector` for an existing "
            "cluster: KubeRay does not start the job",
            note="add `rayClusterSpec`, or name the cluster in `clusterSelector`",
        )
    ends = spec.get("shutdownAfterJobFinishes") is True
    if spec.get("suspend") is True and not ends and queue_of(obj) is None:
        path = obj.path("spec", "shutdownAfterJobFinishes")
        yield RawFinding(
            path,
            "`suspend: true` needs `shutdownAfterJobFinishes: true`: KubeRay does not start the "
            "job",
            fix=set_field(path, True),
        )


def _twice(path: Path, group: dict[str, Any]) -> Iterator[RawFinding]:
    params = mapping(group.get("rayStartParams"))
    name = next((resource for resource in _RESOURCES if params.get(resource)), None)
    if name is not None and mapping(group.get("resources")):
        yield RawFinding(
            (*path, "rayStartParams", name),
            f"`{name}` and the group's `resources` both set the same value: KubeRay does not "
            "start the cluster",
            note=f"remove `{name}` from `rayStartParams`, or the value from `resources`",
        )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
