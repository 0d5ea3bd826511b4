"""Kueue's queues: the queue of an object, how Kueue manages its kind, and Kueue's configuration.

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
    """The label that names an object's queue."""

    queue: str
    path: Path


def queue_of(obj: Object) -> Label | None:
    """Return the label that names an object's queue; for a CronJob, that of its Job template."""
    inside = labels_at(obj)
    queue = mapping(at(obj.value, inside)).get(QUEUE)
    return Label(queue, obj.path(*inside, QUEUE)) if isinstance(queue, str) and queue else None


def local_queues(collection: Collection, namespace: str) -> list[Object]:
    """Return the LocalQueues that are or can be in a namespace."""
    return collection.within(KUEUE, "LocalQueue", namespace)


def cluster_queue(collection: Collection, queue: str, obj: Object) -> Object | None:
    """Return the ClusterQueue behind an object's LocalQueue; None if it is ambiguous."""
    local = nearest(collection.all_named(KUEUE, "LocalQueue", queue, obj.namespace), obj)
    if local is None:
        return None
    name = text(local.spec.get("clusterQueue"))
    return nearest(collection.all_named(KUEUE, "ClusterQueue", name), local)


def nearest(objects: list[Object], obj: Object) -> Object | None:
    """Return the only candidate, or else the only one in an object's file. One tree often contains
    samples or setups of several clusters, whose objects do not belong together."""
    beside = (
        objects
        if len(objects) < 2
        else [namesake for namesake in objects if namesake.file == obj.file]
    )
    return beside[0] if len(beside) == 1 else None


def groups(queue: Object) -> Iterator[tuple[Path, list[str], list[tuple[Path, dict[str, Any]]]]]:
    """Yield the resource groups of a ClusterQueue or Cohort: path, covered resources, flavors."""
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
    """Return the resources for which a ClusterQueue has quota, in any group."""
    return {name for _, names, _ in groups(queue) for name in names}


def cohort(queue: Object) -> str:
    """Return the cohort of a ClusterQueue, in either API version; empty if it has none."""
    return text(queue.spec.get("cohortName")) or text(queue.spec.get("cohort"))


def has_more(name: str, collection: Collection) -> bool:
    """Return whether a cohort has quota of its own or a parent."""
    return name in collection.once(_parents) or any(
        obj.spec.get("parentName") or obj.spec.get("resourceGroups")
        for obj in collection.all_named(KUEUE, "Cohort", name)
    )


def _parents(collection: Collection) -> set[str]:
    return {text(obj.spec.get("parentName")) for obj in collection.of(KUEUE, "Cohort")}


_ALONE = "batch/job"
"""The kinds that Kueue manages without a list in its configuration."""
_CALLED = {
    ("", "Pod"): "pod",
    ("apps", "Deployment"): "deployment",
    ("apps", "StatefulSet"): "statefulset",
    ("batch", "CronJob"): _ALONE,
}
"""Integrations whose names differ from the lower-case group and kind."""
_GROUPS = (
    *("batch", "jobset.x-k8s.io", "kubeflow.org", "leaderworkerset.x-k8s.io", "ray.io"),
    *("sparkoperator.k8s.io", "trainer.kubeflow.org", "workload.codeflare.dev"),
)
_SINCE = {"RayService"}
"""Kinds that older releases of Kueue manage through the objects they create."""


def framework_of(obj: Object) -> str:
    """Return the name of an object's kind in Kueue's configuration; empty if Kueue has no
    integration for it."""
    if obj.kind in _SINCE or obj.group not in ("", "apps", *_GROUPS):
        return ""
    called = f"{obj.group}/{obj.kind.lower()}" if obj.group in _GROUPS else ""
    return _CALLED.get((obj.group, obj.kind), called)


class KueueConfiguration(msgspec.Struct, frozen=True):
    """The settings that are read from Kueue's configuration."""

    frameworks: tuple[str, ...]
    external: tuple[str, ...]
    """Kinds that external controllers manage, as `Kind.version.group`."""
    every_job: bool
    """Whether jobs without a queue name are managed too."""
    uncovered: bool
    """Whether resources that no queue covers may be requested."""
    left_out: tuple[str, ...]
    """Names and prefixes of resources that are excluded or transformed."""
    ready: str
    """How long pods may take to become ready, as written; empty if not set."""


def configuration(collection: Collection) -> KueueConfiguration | None:
    """Return Kueue's configuration from the set, or None."""
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
