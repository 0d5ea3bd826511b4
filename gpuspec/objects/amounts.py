"""What one pod asks for of each resource, as the scheduler counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping
from gpuspec.objects.containers import quantity
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from fractions import Fraction

    from gpuspec.objects.objects import Pod

CPU, MEMORY = "cpu", "memory"


@kept
def amounts(pod: Pod) -> dict[str, Fraction]:
    """What a pod asks for, as the scheduler counts: sidecars stay while init containers run.

    What the pod as a whole asks for stands in place of its containers' sum; its overhead is added.
    """
    names = {CPU: None, MEMORY: None}
    names |= {device.name: None for one in pod.every for device in one.devices}
    found: dict[str, Fraction] = {}
    whole, overhead = mapping(pod.spec.get("resources")), mapping(pod.spec.get("overhead"))
    for name in names:
        total = _together(pod, name)
        if whole and name in (CPU, MEMORY):
            own = mapping(whole.get("requests")).get(name, mapping(whole.get("limits")).get(name))
            if (asks := quantity(own)) is not None:
                total = asks.value
        if overhead and (over := quantity(overhead.get(name))) is not None:
            total += over.value
        if total.numerator > 0:
            found[name] = total
    return found


def _together(pod: Pod, name: str) -> Fraction:
    """What a pod's containers ask for of a resource."""
    from fractions import Fraction

    asking = [(one.stage, said.value) for one in pod.every if (said := one.amount(name))]
    if len(asking) == 1 and asking[0][0] != "ephemeral" and asking[0][1].numerator > 0:
        # Sums of fractions are slow, and most pods have one container.
        return asking[0][1]
    running = sidecars = before = Fraction(0)
    for stage, asked in asking:
        if stage == "init":
            before = max(before, sidecars + asked)
        elif stage == "sidecar":
            sidecars += asked
        elif stage == "main":
            running += asked
    return max(running + sidecars, before, sidecars)
