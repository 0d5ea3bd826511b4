"""Pods that wait in a queue of KAI or Volcano which never lets them run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.queues.trees import KAI, above, below, kai_bounds
from gpuspec.lint.analysis.queues.waiting import KAI_LABEL, Waiting, totals, waiting
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rename, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.queues import nearest

if TYPE_CHECKING:
    from fractions import Fraction

RULE = Rule(
    "GPU410",
    "queue-of-scheduler",
    "error",
    "A KAI or Volcano queue never admits its pods",
    gives_way=("GPU022",),
    fix="unsafe",
)
_HELD = ("build", "inference")
"""KAI's own priority classes whose pods are never preempted."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check the queue of an object's pods, if it is in the set, and its ancestors; and queues with
    no resources, or more than their parent."""
    if obj.is_a(KAI.group, "Queue"):
        yield from _without_resources(obj)
        yield from _over_parent(obj, context.collection)
        return
    collection = context.collection
    some = waiting(obj)
    if some is None:
        yield from _of_runai(obj)
        yield from _unlabelled(obj, collection)
        return
    if not collection.of(some.tree.group, "Queue"):
        return
    called = collection.all_named(some.tree.group, "Queue", some.queue)
    if not called and some.queue not in some.tree.always:
        yield _missing(some, collection)
    queue = nearest(called, obj)
    if queue is None:
        return
    finding = _no_leaf(some, queue, collection) or next(_over(some, obj, queue, collection), None)
    if finding is None and some.tree is KAI:
        finding = _at_top(some, queue) or _over_quota(some, obj, queue, collection)
    if finding is not None:
        yield finding


def _without_resources(queue: Object) -> Iterator[RawFinding]:
    """Yield a KAI queue without resources, which has none of its own and may borrow none."""
    if queue.spec.get("resources") is None:
        yield RawFinding(
            queue.path("spec", "resources"),
            "the queue has no `resources`: KAI's webhook rejects it, or, without the webhook, "
            "every limit is 0 and no workload of the queue runs",
            note=(
                "write `gpu: {quota: -1, limit: -1, overQuotaWeight: 1}`, and likewise for cpu "
                "and memory: `-1` is unlimited"
            ),
        )


def _over_parent(queue: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield an amount of a queue of KAI beyond that of the queue above it: it is never used."""
    above_it = above(queue, KAI, collection)[1:2]
    for parent in above_it:
        for field in ("limit", "quota"):
            ceilings = kai_bounds(parent, field)
            for name, bound in kai_bounds(queue, field).items():
                ceiling = ceilings.get(name)
                if (
                    ceiling is None
                    or ceiling.path[-1] != field
                    or not 0 < ceiling.most < bound.most
                ):
                    continue
                yield RawFinding(
                    bound.path,
                    f"`{field}` is {shown(name, bound.most)}, but parent `{parent.name}` allows "
                    f"only {shown(name, ceiling.most)}: {_BEYOND[field]}",
                    note=f"lower `{field}`, or raise `{field}` of `{parent.name}`",
                    severity="warning",
                    related=(RelatedPlace(parent.number, ceiling.path, "the parent"),),
                )
                return


_BEYOND = {
    "limit": "pods beyond the parent's limit stay Pending",
    "quota": "KAI's webhook warns, and the queue is not guaranteed the rest",
}


def _of_runai(obj: Object) -> Iterator[RawFinding]:
    """Yield pods of Run:ai's scheduler that name a queue only in KAI's label."""
    for pod in obj.pods:
        if pod.spec.get("schedulerName") != "runai-scheduler" or pod.metadata_path is None:
            continue
        if KAI_LABEL not in pod.labels or any(
            key in labels for key in _LABELS[1:] for labels in (obj.labels, pod.labels)
        ):
            continue
        path = (*pod.metadata_path, "labels", KAI_LABEL)
        yield RawFinding(
            path,
            f"Run:ai's scheduler reads the queue from `{_RUNAI_LABEL}`, not from `{KAI_LABEL}`: "
            "the pods have no queue and stay Pending",
            note=f"rename the label to `{_RUNAI_LABEL}`",
            severity="warning",
            confidence="likely",
            fix=Fix(
                f"rename the label to `{_RUNAI_LABEL}`", (Rename(path, _RUNAI_LABEL),), safe=False
            ),
        )
        return


def _unlabelled(obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield KAI pods without a queue, which go to the default one."""
    pods = [pod for pod in obj.pods if pod.spec.get("schedulerName") == "kai-scheduler"]
    if not pods:
        return
    queue_names = sorted({queue.name for queue in collection.of(KAI.group, "Queue")})
    if _DEFAULT in queue_names or (
        not queue_names and (obj.traits.completed or _is_told(collection))
    ):
        return
    for pod in pods:
        if pod.metadata_path is None or _GROUP in pod.annotations:
            continue
        if any(key in labels for key in _LABELS for labels in (obj.labels, pod.labels)):
            continue
        if queue_names:
            end = (
                f"the pods stay Pending: they name no queue (`{KAI_LABEL}`), and KAI's default "
                f"`{_DEFAULT}` is not in these files"
            )
            note = f"set the label to {choice_of(queue_names)}"
        else:
            end = (
                f"the pods name no queue (`{KAI_LABEL}`): they go to KAI's `{_DEFAULT}`, and stay "
                "Pending if the cluster has none"
            )
            note = "name the team's queue, which must have no child queues"
        yield RawFinding(
            (*pod.metadata_path, "labels"),
            end,
            note=note,
            severity="warning",
            confidence="likely" if queue_names else "possible",
        )
        return


def _is_told(collection: Collection) -> bool:
    """Return whether the set names a queue elsewhere: a PodGroup, or the labels of a Kustomization."""
    return bool(collection.of(KAI.group, "PodGroup")) or any(
        key in mapping(labels)
        for kustomization in collection.of("kustomize.config.k8s.io", "Kustomization")
        for labels in (
            kustomization.value.get("commonLabels"),
            *(mapping(entry).get("pairs") for entry in items(kustomization.value.get("labels"))),
        )
        for key in _LABELS
    )


_DEFAULT = "default-queue"
# KAI creates it on a new installation from 0.9.3 on (`defaultQueue.createDefaultQueue` of its chart); without a
# label pkg/podgrouper/podgrouper/plugins/defaultgrouper (CalcPodGroupQueue) takes it everywhere.
_GROUP = "pod-group-name"
"""The annotation by which a pod is in a PodGroup that was written by hand, with its queue."""
_RUNAI_LABEL = "runai/queue"
_LABELS = (KAI_LABEL, _RUNAI_LABEL, "project", "runai/project")
"""Labels that name a queue."""


def _missing(some: Waiting, collection: Collection) -> RawFinding:
    queue_names = sorted({obj.name for obj in collection.of(some.tree.group, "Queue")})
    close = near(some.queue, queue_names)
    return RawFinding(
        some.path,
        f"the pods stay Pending: no queue of {some.tree.scheduler} in these files is named `{some.queue}`",
        note=f"write {choice_of(queue_names)}",
        fix=Fix(f"write `{close}`", (Put(some.path, close),)) if close else None,
        severity="warning",
        confidence="likely",
    )


def _no_leaf(some: Waiting, queue: Object, collection: Collection) -> RawFinding | None:
    lower = below(queue, some.tree, collection)
    if not lower and queue.name != "root":
        return None
    fault = (
        f"queue `{queue.name}` has child queues" if lower else "`root` is the parent of all queues"
    )
    return RawFinding(
        some.path,
        f"the workload never runs: {fault}, and {some.tree.scheduler} runs only workloads of "
        "queues without children",
        note=f"name a child queue: {choice_of(sorted(lower))}" if lower else None,
        related=(RelatedPlace(queue.number, queue.path("metadata", "name"), "the queue"),),
    )


def _at_top(some: Waiting, queue: Object) -> RawFinding | None:
    if text(queue.spec.get("parentQueue")):
        return None
    return RawFinding(
        some.path,
        f"KAI before 0.13 leaves the pods Pending: queue `{queue.name}` has no `parentQueue`, and "
        "pods cannot use a top-level queue",
        note="create a parent queue, and name it in `parentQueue`",
        severity="warning",
        confidence="likely",
        related=(RelatedPlace(queue.number, queue.path("spec"), "the queue"),),
    )


def _over(
    some: Waiting, obj: Object, queue: Object, collection: Collection
) -> Iterator[RawFinding]:
    """Yield more than a queue, or one above it, lets run at most."""
    chain = above(queue, some.tree, collection)
    for name, largest, total, together in totals(some, obj):
        for ancestor in chain:
            bound = some.tree.limits(ancestor).get(name)
            if bound is None or total <= bound.most:
                continue
            never = largest > bound.most or together
            requested = _asked(
                name, largest if largest > bound.most else total, obj, total == largest
            )
            end = "the workload never starts" if never else "the remaining pods stay Pending"
            yield RawFinding(
                some.path,
                f"{requested}, but queue `{ancestor.name}` allows at most {shown(name, bound.most)}: {end}",
                note=f"request at most {shown(name, bound.most)}, or raise the limit of `{ancestor.name}`",
                severity=None if never else "warning",
                related=(RelatedPlace(ancestor.number, bound.path, "its limit"),),
            )


def _asked(name: str, amount: Fraction, obj: Object, single: bool) -> str:
    subject = f"{obj.kind} `{obj.name}` requests" if single else f"the pods of `{obj.name}` request"
    return f"{subject} {shown(name, amount)}"


def _over_quota(
    some: Waiting, obj: Object, queue: Object, collection: Collection
) -> RawFinding | None:
    """Return a finding for non-preemptible pods, which can only use their queue's own quota."""
    if not all(_is_held(pod, collection) for pod in some.pods):
        return None
    for name, largest, _, _ in totals(some, obj):
        for ancestor in above(queue, some.tree, collection):
            bound = kai_bounds(ancestor, "quota").get(name)
            if bound is not None and largest > bound.most:
                return RawFinding(
                    some.path,
                    "the workload never starts: KAI does not preempt these pods, so they get no "
                    f"more than the quota of `{ancestor.name}`, which is {shown(name, bound.most)}",
                    note="raise `quota`, or set `kai.scheduler/preemptibility: preemptible`: "
                    "non-preemptible pods cannot run over quota",
                    severity="warning",
                    confidence="likely",
                    related=(RelatedPlace(ancestor.number, bound.path, "its quota"),),
                )
    return None


def _is_held(pod: Pod, collection: Collection) -> bool:
    """Return whether KAI counts a pod as one that is never preempted."""
    owner = pod.object
    for labels in (owner.labels, pod.labels):
        if label := labels.get("kai.scheduler/preemptibility"):
            return text(label) == "non-preemptible"
    name = (
        text(owner.labels.get("priorityClassName"))
        or text(pod.labels.get("priorityClassName"))
        or text(pod.spec.get("priorityClassName"))
    )
    if not name:
        return owner.is_a("apps", "Deployment")
    obj = collection.named("scheduling.k8s.io", "PriorityClass", name)
    value = None if obj is None else obj.value.get("value")
    return name in _HELD if not isinstance(value, int) else value >= _HELD_FROM


_HELD_FROM = 100
"""A priority from which on KAI preempts no pod."""
