"""Training runtimes, the TrainJobs that name them, and the JobSet that Trainer makes of both.

Source: github.com/kubeflow/trainer v2.3.0, pkg/runtime/core/trainingruntime.go and
pkg/runtime/framework/plugins/jobset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Pod

GROUP = "trainer.kubeflow.org"
STEP = f"{GROUP}/trainjob-ancestor-step"
"""The label of a runtime's job that says what a TrainJob changes in it."""
NODE = "node"
"""The container that a TrainJob changes in the job of step `trainer`."""
_TEMPLATE = ("spec", "template", "spec")
_POLICIES = ("mpi", "flux")
"""Policies by which Trainer makes other jobs than the runtime has."""


def runtime_of(owner: Object, collection: Collection) -> Object | None:
    """Return the runtime of a TrainJob, where it is in the set."""
    reference = mapping(owner.spec.get("runtimeRef"))
    kind = text(reference.get("kind")) or "ClusterTrainingRuntime"
    space = "" if kind.startswith("Cluster") else owner.namespace
    return collection.named(owner.group, kind, text(reference.get("name")), space)


def completed(obj: Object, collection: Collection) -> Object:
    """Return what has the pods of an object, whole.

    Of a TrainJob whose runtime is in the set, the JobSet that is made of both, but for those that
    Trainer makes other jobs for; of all else the object itself.
    """
    if not obj.is_a(GROUP, "TrainJob"):
        return obj
    runtime = runtime_of(obj, collection)
    if runtime is None or _is_patched(obj):
        return obj
    policy = mapping(runtime.spec.get("mlPolicy"))
    return (
        obj
        if any(policy.get(policy_field) for policy_field in _POLICIES)
        else _jobset(obj, runtime)
    )


def completed_pod(pod: Pod, collection: Collection) -> Pod:
    """Return the pod, whole: of a TrainJob whose runtime is in the set, the one that Trainer makes
    of both."""
    obj = completed(pod.object, collection)
    if obj is pod.object:
        return pod
    nodes = (
        node for node in obj.pods if any(container.name == NODE for container in node.containers)
    )
    return next(nodes, pod)


def _is_patched(obj: Object) -> bool:
    """Return whether it changes its runtime otherwise than by its own fields. Kueue adds an empty
    patch."""
    patches = map(mapping, items(obj.spec.get("runtimePatches")))
    return any(at(patch, ("trainingRuntimeSpec", "template", "spec")) for patch in patches)


def _jobset(obj: Object, runtime: Object) -> Object:
    trainer = mapping(obj.spec.get("trainer"))
    spec = mapping(at(runtime.value, _TEMPLATE))
    nodes = trainer.get("numNodes") or at(runtime.spec, ("mlPolicy", "numNodes")) or 1
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": obj.metadata,
        "spec": {**spec, "replicatedJobs": [*_jobs(spec, nodes, trainer)]},
    }
    return Object(jobset, obj.base, obj.number, file=obj.file)


def _jobs(spec: dict[str, Any], nodes: Any, trainer: dict[str, Any]) -> Iterator[Any]:
    for job in items(spec.get("replicatedJobs")):
        labels = mapping(at(job, ("template", "metadata", "labels")))
        yield _job(mapping(job), nodes, trainer) if labels.get(STEP) == "trainer" else job


def _job(job: dict[str, Any], nodes: Any, trainer: dict[str, Any]) -> dict[str, Any]:
    """Return the job of step `trainer`, as a TrainJob changes it."""
    template = mapping(job.get("template"))
    spec = mapping(template.get("spec"))
    pod = mapping(spec.get("template"))
    inner = mapping(pod.get("spec"))
    containers = [
        _node(container, trainer)
        if isinstance(container, dict) and container.get("name") == NODE
        else container
        for container in items(inner.get("containers"))
    ]
    pod = {**pod, "spec": {**inner, "containers": containers}}
    spec = {**spec, "parallelism": nodes, "completions": nodes, "template": pod}
    return {**job, "replicas": 1, "template": {**template, "spec": spec}}


def _node(container: dict[str, Any], trainer: dict[str, Any]) -> dict[str, Any]:
    overrides = {key: trainer[key] for key in ("image", "command", "args") if trainer.get(key)}
    container_resources, resources_per_node = (
        mapping(container.get("resources")),
        mapping(trainer.get("resourcesPerNode")),
    )
    resources = {
        key: {**mapping(container_resources.get(key)), **mapping(resources_per_node.get(key))}
        for key in ("requests", "limits")
    }
    env = [*items(container.get("env")), *items(trainer.get("env"))]
    return {**container, **overrides, "env": env, "resources": {**container_resources, **resources}}
