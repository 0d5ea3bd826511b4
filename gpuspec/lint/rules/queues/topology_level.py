"""A level of a topology that no flavor of the queue has, or that pods of one group need together."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, cluster_queue, groups, queue_of

RULE = Rule(
    "GPU720",
    "topology-level",
    "error",
    "A workload requests a topology level that its queue does not have",
    fix="unsafe",
)
_KEYS = tuple(
    f"kueue.x-k8s.io/podset-{name}-topology" for name in ("required", "preferred", "slice-required")
)

_GROUP = "kueue.x-k8s.io/podset-group-name"
_HOST = "kubernetes.io/hostname"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield annotations of its pods, against the topologies of all flavors of its ClusterQueue."""
    label = queue_of(obj)
    apart = _apart(obj) if label is not None else None
    if apart is not None:
        yield apart
    queue = None if label is None else cluster_queue(context.collection, label.queue, obj)
    if queue is None:
        return
    levels = _levels(queue, context.collection)
    if levels is None:
        return
    for pod in obj.pods:
        for key in _KEYS:
            level = pod.annotations.get(key)
            if not isinstance(level, str) or level in levels or pod.metadata_path is None:
                continue
            path = (*pod.metadata_path, "annotations", key)
            close = near(level, levels)
            yield RawFinding(
                path,
                f"Kueue never admits the workload: no flavor of ClusterQueue `{queue.name}` has "
                f"a topology with the level `{level}`",
                note=f"write {choice_of(sorted(levels))}"
                if levels
                else "set `topologyName` in a flavor of the queue",
                fix=Fix(f"write `{close}`", (Put(path, close),)) if close else None,
                related=(
                    RelatedPlace(queue.number, queue.path("spec", "resourceGroups"), "its flavors"),
                ),
            )


def _apart(obj: Object) -> RawFinding | None:
    """Return a level that leader and workers request each on their own: Kueue makes a PodSet of each
    template, and places PodSets together only if they name a group."""
    if len(obj.pods) != 2 or not all(pod.gpu_containers for pod in obj.pods):
        return None
    # Kueue refuses groups without a PodSet of one pod (pkg/controller/jobframework/tas_validation.go).
    if all(pod.role.count != 1 for pod in obj.pods):
        return None
    leader, workers = obj.pods
    key = _KEYS[0]
    level = leader.annotations.get(key)
    if not isinstance(level, str) or workers.annotations.get(key) != level or level == _HOST:
        return None
    if any(_GROUP in pod.annotations or pod.metadata_path is None for pod in obj.pods):
        return None
    path = (*(leader.metadata_path or ()), "annotations", key)
    workers_path = (*(workers.metadata_path or ()), "annotations", key)
    name = obj.name or "group"
    puts = (Put((*path[:-1], _GROUP), name), Put((*workers_path[:-1], _GROUP), name))
    return RawFinding(
        path,
        f"Kueue places the two templates separately: the pods of each share one `{level}`, but "
        "the two templates may get different ones",
        note=f"set the same annotation `{_GROUP}` on both templates",
        fix=Fix("set the same `kueue.x-k8s.io/podset-group-name` on both templates", puts),
        severity="warning",
        confidence="likely",
        related=(RelatedPlace(obj.number, workers_path, "the other template"),),
    )


def _levels(queue: Object, collection: Collection) -> set[str] | None:
    """Return the topology levels of a queue's flavors; None if one of them is not in the set."""
    levels: set[str] = set()
    for _, _, flavors in groups(queue):
        for _, entry in flavors:
            flavor = collection.named(KUEUE, "ResourceFlavor", text(entry.get("name")))
            if flavor is None:
                return None
            name = text(flavor.spec.get("topologyName"))
            if not name:
                continue
            topology = collection.named(KUEUE, "Topology", name)
            if topology is None:
                return None
            rows = items(topology.spec.get("levels"))
            levels |= {text(mapping(row).get("nodeLabel")) for row in rows}
    return levels
