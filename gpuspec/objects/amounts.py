"""The amounts that a pod requests of each resource, as the scheduler counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping
from gpuspec.objects.containers import quantity
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod

CPU, MEMORY = "cpu", "memory"
_FIELDS = ("requests", "limits")


@kept
def amounts(pod: Pod) -> dict[str, Fraction]:
    """Return the amounts of CPU, memory and devices that a pod requests, as the scheduler counts
    them."""
    names = {CPU: None, MEMORY: None}
    names |= {device.name: None for container in pod.every for device in container.devices}
    return _above_zero(pod, names)


@kept
def all_amounts(pod: Pod) -> dict[str, Fraction]:
    """Return the amounts of all resources that a pod or its containers request."""
    whole = mapping(pod.spec.get("resources"))
    pod_level = (name for field in _FIELDS for name in mapping(whole.get(field)))
    return _above_zero(pod, dict.fromkeys((*resources(pod), *pod_level)))


def resources(pod: Pod) -> list[str]:
    """Return the distinct resources that a pod's containers name."""
    return list(
        dict.fromkeys(
            name
            for container in pod.every
            for name in (*container.requests, *container.limits)
            if isinstance(name, str)
        )
    )


def _above_zero(pod: Pod, names: Iterable[str]) -> dict[str, Fraction]:
    """Return the nonzero amounts. Sidecars keep running while later init containers run.

    Pod-level requests replace the sum of the containers. A pod-level limit does so only if no
    container requests the resource, because the API server then fills in the request. The overhead
    is added.
    """
    totals: dict[str, Fraction] = {}
    whole, overhead = mapping(pod.spec.get("resources")), mapping(pod.spec.get("overhead"))
    for name in names:
        total = _together(pod, name)
        if whole and name in (CPU, MEMORY):
            pod_amount = mapping(whole.get("requests")).get(name)
            if pod_amount is None and all(
                container.amount(name) is None for container in pod.every
            ):
                pod_amount = mapping(whole.get("limits")).get(name)
            if (asks := quantity(pod_amount)) is not None:
                total = asks.value
        if overhead and (over := quantity(overhead.get(name))) is not None:
            total += over.value
        if total.numerator > 0:
            totals[name] = total
    return totals


def at_once(pod: Pod) -> int:
    """Return how many pods of this template run at one time; 1 if that is unknown."""
    count, groups = pod.role.count, pod.role.groups
    completions = pod.object.spec.get("completions")
    if pod.object.is_a("batch", "Job") and count is not None and isinstance(completions, int):
        count = min(count, completions)
    return (1 if count is None else count) * (1 if groups is None else groups)


def written_at(pod: Pod, name: str) -> Path:
    """Return the path of a pod's first request or limit of a resource, or the path of its first
    container's resources if it has none."""
    for container in pod.every:
        for field in _FIELDS:
            if name in mapping(container.resources.get(field)):
                return container.path(container.resources_at, field, name)
    whole = mapping(pod.spec.get("resources"))
    for field in _FIELDS:
        if name in mapping(whole.get(field)):
            return pod.path("resources", field, name)
    return pod.every[0].path("resources") if pod.every else pod.path()


def _together(pod: Pod, name: str) -> Fraction:
    """Return the amount of a resource that a pod's containers request."""
    from fractions import Fraction

    asking = [
        (container.stage, amount.value)
        for container in pod.every
        if (amount := container.amount(name))
    ]
    if len(asking) == 1 and asking[0][0] != "ephemeral" and asking[0][1].numerator > 0:
        # Sums of fractions are slow, and most pods have one container.
        return asking[0][1]
    running = sidecars = before = Fraction(0)
    for stage, requested in asking:
        if stage == "init":
            before = max(before, sidecars + requested)
        elif stage == "sidecar":
            sidecars += requested
        elif stage == "main":
            running += requested
    return max(running + sidecars, before, sidecars)
