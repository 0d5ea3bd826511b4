"""Pods that reserve capacity and are preempted by other pods."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection, PodFacts
    from gpuspec.objects.objects import Pod

_WORDS = ("placeholder", "overprovision", "balloon")


def kept_warm(pod: Pod, context: Context) -> Callable[[Collection], bool]:
    """Ask whether a placeholder of the run holds the devices that one more such pod needs."""
    devices = {
        device.name for gpu_container in pod.gpu_containers for device in gpu_container.devices
    }
    # Plain data: the question goes from one process to another.
    return partial(_is_held, _classes(context), pod.object.number, pod.gpus, devices)


def _is_held(
    classes: frozenset[str], number: int, gpus: int, devices: set[str], collection: Collection
) -> bool:
    """Return whether a placeholder of another object than `number` holds this many devices."""
    return any(
        facts.object != number and facts.gpus >= gpus and devices <= set(facts.devices)
        for facts in collection.once(_with_priority)
        if _gives_way(facts, classes)
    )


def _with_priority(collection: Collection) -> list[PodFacts]:
    """Return, of equal pods, those of the first two objects, since one of the two may be the
    requester."""
    pods_by_shape: dict[tuple[object, ...], dict[int, PodFacts]] = {}
    for pod in collection.pods:
        if pod.priority:
            alike = pods_by_shape.setdefault((pod.priority, pod.gpus, pod.devices), {})
            if len(alike) < 2:
                alike.setdefault(pod.object, pod)
    return [pod for alike in pods_by_shape.values() for pod in alike.values()]


def _gives_way(pod: PodFacts, classes: frozenset[str]) -> bool:
    return pod.priority in classes or any(word in pod.priority for word in _WORDS)


def _classes(context: Context) -> frozenset[str]:
    """Return PriorityClasses whose pods are preempted by those without a class."""
    names = {
        obj.name
        for obj in context.collection.of("scheduling.k8s.io", "PriorityClass")
        if _negative(obj.value.get("value"))
    }
    if context.cluster is not None and context.cluster.priorities.placeholder:
        names.add(context.cluster.priorities.placeholder)
    return frozenset(names)


def _negative(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value < 0
