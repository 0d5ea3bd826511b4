"""The KAI or Volcano queue of an object's pods, and their requests.

Sources: KAI Scheduler 0.20 (pkg/podgrouper), Volcano 1.15 (pkg/controllers/podgroup, .../job).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.queues.trees import GPU, KAI, VOLCANO, QueueTree
from gpuspec.lint.analysis.sharing.sharing import KAI as PARTS
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.numbers import read_fraction, read_whole
from gpuspec.objects.amounts import CPU, MEMORY, all_amounts, at_once
from gpuspec.objects.gangs import gang_of, scheduler_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object, Pod

KAI_LABEL = "kai.scheduler/queue"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
_JOBS = {"Job": ("spec",), "CronJob": ("spec", "jobTemplate", "spec")}
_NAMED_LATER = ("ray.io", "leaderworkerset.x-k8s.io", "kubeflow.org")
"""Groups whose operators set the scheduler themselves."""


class Waiting(msgspec.Struct, frozen=True):
    """A queue's name, and its waiting pods."""

    tree: QueueTree
    queue: str
    path: Path
    pods: tuple[Pod, ...]


def waiting(obj: Object) -> Waiting | None:
    """Return the queue in the field that the scheduler of the object's pods reads."""
    if obj.group == "batch.volcano.sh" and obj.kind in _JOBS:
        inside = (*_JOBS[obj.kind], "queue")
        name = text(at(obj.value, inside))
        return Waiting(VOLCANO, name, obj.path(*inside), obj.pods) if name else None
    return _of_kai(obj) or _of_volcano(obj)


def _of_kai(obj: Object) -> Waiting | None:
    pods = tuple(pod for pod in obj.pods if _goes_to(pod, "kai-scheduler"))
    if not pods:
        return None
    # The owner's label comes before that of its pods.
    if name := text(obj.labels.get(KAI_LABEL)):
        return Waiting(KAI, name, obj.path("metadata", "labels", KAI_LABEL), pods)
    first = pods[0]
    name = text(first.labels.get(KAI_LABEL))
    if not name or first.metadata_path is None:
        return None
    same = tuple(pod for pod in pods if pod.labels.get(KAI_LABEL) == name)
    return Waiting(KAI, name, (*first.metadata_path, "labels", KAI_LABEL), same)


def _of_volcano(obj: Object) -> Waiting | None:
    for pod in obj.pods:
        name = text(pod.annotations.get(VOLCANO_QUEUE))
        if name and pod.metadata_path is not None and _goes_to(pod, "volcano"):
            path = (*pod.metadata_path, "annotations", VOLCANO_QUEUE)
            return Waiting(VOLCANO, name, path, (pod,))
    return None


def _goes_to(pod: Pod, scheduler: str) -> bool:
    pod_scheduler = scheduler_of(pod)
    return pod_scheduler == scheduler or (not pod_scheduler and pod.object.group in _NAMED_LATER)


def asks(pod: Pod, tree: QueueTree) -> dict[str, Fraction]:
    """Return one pod's requests, by the queue's names of resources."""
    amounts = all_amounts(pod)
    if tree is VOLCANO:
        return amounts
    host_amounts = {name: amounts[name] for name in (CPU, MEMORY) if name in amounts}
    gpus = _gpus(pod)
    return {GPU: gpus, **host_amounts} if gpus else host_amounts


def _gpus(pod: Pod) -> Fraction | None:
    """Return whole GPUs, or a fraction of some; None for other units: slices, memory."""
    from fractions import Fraction

    if PARTS[1] in pod.annotations or pod.claims:
        return None
    if PARTS[0] in pod.annotations:
        part = read_fraction(text(pod.annotations[PARTS[0]]))
        times = read_whole(pod.annotations.get("gpu-fraction-num-devices", "1"))
        return None if part is None or times is None else part * times
    devices = [device for gpu_container in pod.gpu_containers for device in gpu_container.devices]
    if any(device.what.kind != "device" for device in devices):
        return None
    return Fraction(pod.gpus, 1)


def totals(some: Waiting, obj: Object) -> Iterator[tuple[str, Fraction, Fraction, bool]]:
    """Yield for each resource the largest request of a pod, the sum of the requests that start
    together (else the largest at one time), and whether they start together."""
    rows = [(asks(pod, some.tree), at_once(pod)) for pod in some.pods]
    least = _fewest(obj) if some.tree is VOLCANO else None
    together = least is not None or gang_of(obj) is not None
    for name in dict.fromkeys(name for requested, _ in rows for name in requested):
        amounts = sorted((requested.get(name, _none()), count) for requested, count in rows)
        remaining = sum(count for _, count in amounts) if least is None else least
        total = _none()
        # Of those that are enough, the smallest come first.
        for amount, count in amounts:
            total += amount * min(remaining, count)
            remaining -= min(remaining, count)
        yield name, amounts[-1][0], total, together


@cache
def _none() -> Fraction:
    from fractions import Fraction

    return Fraction(0)


def _fewest(obj: Object) -> int | None:
    """Return the smallest number of pods with which a Volcano Job starts."""
    if obj.group != "batch.volcano.sh":
        return None
    spec = mapping(at(obj.value, _JOBS[obj.kind]))
    if minimum := whole(spec.get("minAvailable"), 0):
        return minimum
    tasks = map(mapping, items(spec.get("tasks")))
    counts = [whole(task.get("minAvailable", task.get("replicas")), 1) for task in tasks]
    known_counts = [count for count in counts if count is not None]
    return sum(known_counts) if known_counts and len(known_counts) == len(counts) else None
