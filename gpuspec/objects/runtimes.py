"""Training runtimes, the TrainJobs that refer to them, and the JobSet that Trainer builds from
both.

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
"""The label that tells which job of a runtime a TrainJob's fields change."""
NODE = "node"
"""The container that a TrainJob changes, in the job with step `trainer`."""
_TEMPLATE = ("spec", "template", "spec")
_POLICIES = ("mpi", "flux")
"""The policies for which Trainer builds jobs that are not in the runtime."""


def runtime_of(owner: Object, collection: Collection) -> Object | None:
    """Return the runtime of a TrainJob, if it is in the set."""
    reference = mapping(owner.spec.get("runtimeRef"))
    kind = text(reference.get("kind")) or "ClusterTrainingRuntime"
    space = "" if kind.startswith("Cluster") else owner.namespace
    return collection.named(owner.group, kind, text(reference.get("name")), space)


def completed(obj: Object, collection: Collection) -> Object:
    """Return the object whose pods are complete.

    For a TrainJob whose runtime is in the set, that is the JobSet built from both, except with a
    policy for which Trainer builds other jobs. Otherwise it is the object itself.
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
    """Return the complete pod: for a TrainJob whose runtime is in the set, the one that Trainer
    builds from both."""
    obj = completed(pod.object, collection)
    if obj is pod.object:
        return pod
    nodes = (
        node for node in obj.pods if any(container.name == NODE for container in node.containers)
    )
    return next(nodes, pod)


def _is_patched(obj: Object) -> bool:
    """Return whether a TrainJob patches its runtime. An empty patch, which Kueue adds, does not
    count."""
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
    """Return the job with step `trainer`, as changed by a TrainJob."""
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
