"""A Ray cluster that Kueue refuses, or whose quota it never gets back."""

from collections.abc import Iterator
from typing import Any

from gpuspec.kinds.ray import CLUSTERS
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import queue_of

RULE = Rule(
    "GPU717",
    "ray-under-queue",
    "error",
    "Kueue rejects the RayJob or RayCluster",
    fix="unsafe",
)
_ELASTIC = "kueue.x-k8s.io/elastic-job"
_ELSEWHERE, _HEAD = "kueue.x-k8s.io/multikueue", "head"
_PARTS = 18
"""Kinds of pods that one Workload holds; one of them is the head."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield violations of Kueue's webhooks for queued objects."""
    if queue_of(obj) is None:
        return
    inside = CLUSTERS[obj.kind]
    cluster = mapping(at(obj.value, inside))
    if obj.kind == "RayJob":
        if obj.spec.get("clusterSelector"):
            # It uses a cluster that is there, and Kueue leaves it alone.
            if cluster:
                yield RawFinding(
                    obj.path("spec", "clusterSelector"),
                    "a queued RayJob creates its own cluster: Kueue rejects `clusterSelector` "
                    "next to `rayClusterSpec`",
                    note="remove `clusterSelector`",
                )
            return
        if obj.spec.get("shutdownAfterJobFinishes") is not True:
            path = obj.path("spec", "shutdownAfterJobFinishes")
            yield RawFinding(
                path,
                "a queued RayJob needs `shutdownAfterJobFinishes: true`, or its cluster holds the "
                "quota forever: Kueue's webhook rejects the job",
                fix=set_field(path, True),
            )
    yield from _cluster(obj, inside, cluster)


def _cluster(obj: Object, inside: Path, cluster: dict[str, Any]) -> Iterator[RawFinding]:
    path = obj.path(*inside, "enableInTreeAutoscaling")
    elastic = obj.annotations.get(_ELASTIC) == "true"
    scales = cluster.get("enableInTreeAutoscaling") is True
    if scales and not elastic:
        yield RawFinding(
            path,
            "`enableInTreeAutoscaling` is `true`, but Kueue admits only a whole Ray cluster: "
            "Kueue rejects the object",
            note=(
                "remove `enableInTreeAutoscaling`, or, from Kueue 0.16 on, set the annotation "
                f'`{_ELASTIC}: "true"`, which allows the autoscaler'
            ),
            fix=Fix(f"remove `{path[-1]}`", (Drop(path),)),
        )
    elif scales and obj.kind == "RayCluster" and obj.spec.get("managedBy") == _ELSEWHERE:
        yield RawFinding(
            path,
            "Kueue rejects a cluster with its own autoscaler that runs in another "
            f"Kubernetes cluster (`managedBy: {_ELSEWHERE}`)",
            note="set `enableInTreeAutoscaling: false`",
        )
    workers = items(cluster.get("workerGroupSpecs"))
    for index, group in enumerate(workers):
        if mapping(group).get("groupName") == _HEAD:
            yield RawFinding(
                obj.path(*inside, "workerGroupSpecs", index, "groupName"),
                f"Kueue uses `{_HEAD}` for the head's group and rejects another of that name",
                note="give the worker group another name",
            )
    if len(workers) >= _PARTS:
        yield RawFinding(
            obj.path(*inside, "workerGroupSpecs"),
            f"Kueue accepts at most {_PARTS - 1} worker groups in a cluster, and rejects "
            f"{len(workers)}",
            note=f"use at most {_PARTS - 1} worker groups",
        )
