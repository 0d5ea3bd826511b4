"""Queues: which one an object waits in, what Kueue does with its kind, and what the set tells of it.

Sources: Kueue 0.19: pkg/controller/jobs, pkg/controller/constants, config/components/manager, the
pages "Run ..." of its documentation; its CRDs for the fields of both versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds.owned import QUEUE
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.references import labels_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

KUEUE = "kueue.x-k8s.io"


class Label(msgspec.Struct, frozen=True):
    """The label by which an object waits in a queue."""

    queue: str
    path: Path


def queue_of(obj: Object) -> Label | None:
    """Return the queue that an object names where Kueue looks for it; a CronJob's in what it
    makes."""
    inside = labels_at(obj)
    queue = mapping(at(obj.value, inside)).get(QUEUE)
    return Label(queue, obj.path(*inside, QUEUE)) if isinstance(queue, str) and queue else None


def local_queues(collection: Collection, namespace: str) -> list[Object]:
    """Return the LocalQueues of a set that lie in a namespace, or may."""
    return collection.within(KUEUE, "LocalQueue", namespace)


def cluster_queue(collection: Collection, queue: str, obj: Object) -> Object | None:
    """Return the ClusterQueue of a set that an object's LocalQueue leads to; None where several may
    be it."""
    local = nearest(collection.all_named(KUEUE, "LocalQueue", queue, obj.namespace), obj)
    if local is None:
        return None
    name = text(local.spec.get("clusterQueue"))
    return nearest(collection.all_named(KUEUE, "ClusterQueue", name), local)


def nearest(objects: list[Object], obj: Object) -> Object | None:
    """Return the only one of its name, else the only one in an object's file: samples, and the
    setups of several clusters, lie side by side in one tree, and a folder's need not belong
    together."""
    beside = (
        objects
        if len(objects) < 2
        else [namesake for namesake in objects if namesake.file == obj.file]
    )
    return beside[0] if len(beside) == 1 else None


def groups(queue: Object) -> Iterator[tuple[Path, list[str], list[tuple[Path, dict[str, Any]]]]]:
    """Yield the resource groups of a ClusterQueue or a Cohort: path, what it covers, its
    flavors."""
    for index, group in enumerate(items(queue.spec.get("resourceGroups"))):
        path = queue.path("spec", "resourceGroups", index)
        covered = [name for name in items(mapping(group).get("coveredResources")) if text(name)]
        flavors = [
            ((*path, "flavors", place), flavor)
            for place, flavor in enumerate(items(mapping(group).get("flavors")))
            if isinstance(flavor, dict)
        ]
        yield path, covered, flavors


def covered(queue: Object) -> set[str]:
    """Return the resources that a ClusterQueue has quota for, in whatever group."""
    return {name for _, names, _ in groups(queue) for name in names}


def cohort(queue: Object) -> str:
    """Return the cohort of a ClusterQueue, by the field of either version; empty where it has
    none."""
    return text(queue.spec.get("cohortName")) or text(queue.spec.get("cohort"))


def has_more(name: str, collection: Collection) -> bool:
    """Return whether a cohort has quota of its own, or is part of a larger one."""
    return name in collection.once(_parents) or any(
        obj.spec.get("parentName") or obj.spec.get("resourceGroups")
        for obj in collection.all_named(KUEUE, "Cohort", name)
    )


def _parents(collection: Collection) -> set[str]:
    return {text(obj.spec.get("parentName")) for obj in collection.of(KUEUE, "Cohort")}


_ALONE = "batch/job"
"""What Kueue manages where its configuration lists nothing."""
_CALLED = {
    ("", "Pod"): "pod",
    ("apps", "Deployment"): "deployment",
    ("apps", "StatefulSet"): "statefulset",
    ("batch", "CronJob"): _ALONE,
}
"""Integrations whose names are not the group and the kind in small letters."""
_GROUPS = (
    *("batch", "jobset.x-k8s.io", "kubeflow.org", "leaderworkerset.x-k8s.io", "ray.io"),
    *("sparkoperator.k8s.io", "trainer.kubeflow.org", "workload.codeflare.dev"),
)
_SINCE = {"RayService"}
"""Kinds that an older Kueue manages by what they make."""


def framework_of(obj: Object) -> str:
    """Return what Kueue's configuration calls an object's kind; empty where it has no integration
    for it."""
    if obj.kind in _SINCE or obj.group not in ("", "apps", *_GROUPS):
        return ""
    called = f"{obj.group}/{obj.kind.lower()}" if obj.group in _GROUPS else ""
    return _CALLED.get((obj.group, obj.kind), called)


class KueueConfiguration(msgspec.Struct, frozen=True):
    """What is read of Kueue's own configuration, where a set has it."""

    frameworks: tuple[str, ...]
    external: tuple[str, ...]
    """Kinds that others manage for it, as `Kind.version.group`."""
    every_job: bool
    """Jobs without a queue's name are managed too."""
    uncovered: bool
    """What no queue covers may be asked for."""
    left_out: tuple[str, ...]
    """Prefixes of resources, and names, that do not count as they are written."""
    ready: str
    """How long pods may take to become ready, as it is written; empty where it does not say."""


def configuration(collection: Collection) -> KueueConfiguration | None:
    """Return Kueue's configuration in a set, or None."""
    return collection.once(_configuration)


def _configuration(collection: Collection) -> KueueConfiguration | None:
    from gpuspec.manifests import InputError, read

    for obj in collection.of("", "ConfigMap"):
        config_text = mapping(obj.value.get("data")).get("controller_manager_config.yaml")
        if not isinstance(config_text, str) or "config.kueue.x-k8s.io" not in config_text:
            continue
        try:
            documents = read(config_text, obj.name)
        except InputError:
            return None
        value = mapping(documents[0].value) if documents else {}
        integrations = mapping(value.get("integrations"))
        waiting = mapping(value.get("waitForPodsReady"))
        resources = mapping(value.get("resources"))
        inputs = [
            mapping(transformation).get("input")
            for transformation in items(resources.get("transformations"))
        ]
        out = (*items(resources.get("excludeResourcePrefixes")), *inputs)
        return KueueConfiguration(
            tuple(map(text, items(integrations.get("frameworks")))) or (_ALONE,),
            tuple(map(text, items(integrations.get("externalFrameworks")))),
            value.get("manageJobsWithoutQueueName") is True,
            resources.get("quotaCheckStrategy") == "IgnoreUndeclared",
            tuple(prefix for prefix in out if isinstance(prefix, str)),
            "" if waiting.get("enable") is False else text(waiting.get("timeout")),
        )
    return None
