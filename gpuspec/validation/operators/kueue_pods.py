"""The pods of jobs that Kueue queues, in sets of equal pods.

Source: sigs.k8s.io/kueue v0.19.2, `PodSets` in pkg/controller/jobs/*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.bundle import Kind


class PodSet(msgspec.Struct, frozen=True):
    """A set of equal pods."""

    name: str
    path: Path
    """Their metadata."""
    count: int | None
    """The number of pods; None if it is unknown."""
    asked: dict[str, str] = {}
    """Their annotations."""


def pod_sets(kind: Kind, value: Map) -> list[PodSet]:
    """Return the sets of an object's pods whose topology Kueue checks."""
    find, keeps_null = KINDS[kind], "." not in kind[0]
    return [
        replace(pod_set, asked=texts(value, (*pod_set.path, "annotations"), keeps_null=keeps_null))
        for pod_set in (find(value) if find is not None else ())
    ]


def texts(value: Map, path: Path, *, keeps_null: bool = True) -> dict[str, str]:
    """Return labels or annotations; a server reads null as an empty text, but drops it if a custom
    definition describes the value.
    """
    texts_by_key = mapping(at(value, path))
    if keeps_null:
        texts_by_key = {key: "" if text is None else text for key, text in texts_by_key.items()}
    return {
        key: text
        for key, text in texts_by_key.items()
        if isinstance(text, str) and isinstance(key, str)
    }


def _of_job(value: Map) -> list[PodSet]:
    return [_set("main", ("spec", "template"), pods_at_once(mapping(value.get("spec"))))]


def _of_pod(value: Map) -> list[PodSet]:
    # A pod alone is not counted: its group may be larger.
    return [PodSet("main", ("metadata",), None)]


def _of_jobset(value: Map) -> list[PodSet]:
    pod_sets = []
    for path, job in _each(value, ("spec", "replicatedJobs")):
        inside: Path = ("template", "spec")
        pods = pods_at_once(mapping(at(job, inside)))
        count = _times(pods, whole(job.get("replicas"), 1))
        pod_sets.append(_set(text(job.get("name")), (*path, *inside, "template"), count))
    return pod_sets


def _of_train_job(value: Map) -> list[PodSet]:
    """Return the patches of the runtime's pods; the runtime sets their number."""
    inside: Path = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
    return [
        _set(text(job.get("name")), (*path, "template", "spec", "template"), None)
        for patch, _ in _each(value, ("spec", "runtimePatches"))
        for path, job in _each(value, (*patch, *inside))
    ]


def _roles(field: str, *roles: str) -> Callable[[Map], list[PodSet]]:
    def found(value: Map) -> list[PodSet]:
        base: Path = ("spec", field)
        base_value = mapping(at(value, base))
        return [
            _set(role, (*base, role, "template"), whole(base_value[role].get("replicas"), 1))
            for role in roles
            if isinstance(base_value.get(role), dict)
        ]

    return found


def _of_ray(*base: str) -> Callable[[Map], list[PodSet]]:
    def found(value: Map) -> list[PodSet]:
        if not isinstance(at(value, base), dict):
            return []
        head = _set("head", (*base, "headGroupSpec", "template"), 1)
        return [
            head,
            *(
                _set(
                    text(group.get("groupName")),
                    (*path, "template"),
                    _times(whole(group.get("replicas"), 1), _hosts(group)),
                )
                for path, group in _each(value, (*base, "workerGroupSpecs"))
            ),
        ]

    return found


def _hosts(group: Map) -> int | None:
    hosts = whole(group.get("numOfHosts"), 1)
    return None if hosts is None else max(hosts, 1)


def _of_groups(value: Map) -> list[PodSet]:
    base: Path = ("spec", "leaderWorkerTemplate")
    inside = mapping(at(value, base))
    size = whole(inside.get("size"), 1)
    if not isinstance(inside.get("leaderTemplate"), dict):
        return [_set("main", (*base, "workerTemplate"), size)]
    leader = _set("leader", (*base, "leaderTemplate"), 1)
    return [leader, _set("worker", (*base, "workerTemplate"), None if size is None else size - 1)]


def pods_at_once(spec: Map) -> int | None:
    """Return how many pods a Job has at once: at most its completions."""
    parallelism = whole(spec.get("parallelism"), 1)
    completions = whole(spec.get("completions"), parallelism)
    if parallelism is None or completions is None:
        return None
    return min(parallelism, completions)


def _set(name: str, template: Path, count: int | None) -> PodSet:
    return PodSet(name.lower(), (*template, "metadata"), count)


def _times(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first * second


def _each(value: Map, path: Path) -> list[tuple[Path, Map]]:
    """Return the maps that a list has, with their paths."""
    listed = items(at(value, path))
    return [((*path, index), item) for index, item in enumerate(listed) if isinstance(item, dict)]


KINDS: dict[Kind, Callable[[Map], list[PodSet]] | None] = {
    ("v1", "Pod"): _of_pod,
    ("batch/v1", "Job"): _of_job,
    ("apps/v1", "Deployment"): None,
    ("apps/v1", "StatefulSet"): None,
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): _of_jobset,
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): _of_groups,
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): _of_train_job,
    ("kubeflow.org/v2beta1", "MPIJob"): _roles("mpiReplicaSpecs", "Launcher", "Worker"),
    ("kubeflow.org/v1", "PyTorchJob"): _roles("pytorchReplicaSpecs", "Master", "Worker"),
    ("kubeflow.org/v1", "TFJob"): _roles(
        "tfReplicaSpecs", "Chief", "Master", "PS", "Worker", "Evaluator"
    ),
    ("kubeflow.org/v1", "JAXJob"): _roles("jaxReplicaSpecs", "Worker"),
    ("ray.io/v1", "RayCluster"): _of_ray("spec"),
    ("ray.io/v1", "RayJob"): _of_ray("spec", "rayClusterSpec"),
    ("ray.io/v1", "RayService"): _of_ray("spec", "rayClusterConfig"),
    ("workload.codeflare.dev/v1beta2", "AppWrapper"): None,
}
"""The kinds that Kueue queues, with the function that finds their pods; None if it does not check
their topology.
"""
