"""A pod that needs EFA is bound to machines that have none, or fewer interfaces of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.lint.analysis.placement.instances import TYPE, fitting
from gpuspec.lint.analysis.placement.placing import (
    in_all,
    names,
    requirement_path,
    requirements,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU422",
    "instance-without-efa",
    "warning",
    "A pod that needs EFA selects instances without EFA, or with too few interfaces",
)
_RESOURCE = "vpc.amazonaws.com/efa"
_PLUGIN = "/aws-efa-k8s-device-plugin"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that request EFA interfaces, and EFA's device plugin, which exits on nodes without
    any."""
    if any(_PLUGIN in container.image for container in pod.containers):
        yield from _plugin(pod)
        return
    requested = sum(map(_interfaces, pod.containers))
    fittings = [fitting(way) for way in requirements(pod)] if requested else []
    first = fittings[0] if fittings else None
    if first is None or any(
        fitting_types is None
        or any(instance.efa >= requested for instance in fitting_types.instances)
        for fitting_types in fittings
    ):
        return
    if not first.instances:
        return  # another rule says that no machine is left
    most = max(instance.efa for instance in first.instances)
    machines = names([instance.name for instance in first.instances])
    has = f"has at most {most}" if most else "has none"
    yield RawFinding(
        requirement_path(pod, first.named),
        f"the pod stays Pending: it requests {requested} `{_RESOURCE}`, but the required instance "
        f"type {has}",
        note=f"require instance types with EFA instead of {machines}",
    )


def _plugin(pod: Pod) -> Iterator[RawFinding]:
    for requirement in in_all(pod):
        if requirement.key not in TYPE or requirement.operator != "In":
            continue
        instances = [
            instance
            for value in requirement.values
            if (instance := hardware.instance(value)) is not None
        ]
        without = [instance.name for instance in instances if not instance.efa]
        if without:
            has = "has" if len(without) == 1 else "have"
            yield RawFinding(
                requirement_path(pod, requirement),
                f"{names(without)} {has} no EFA, and the device plugin exits where it finds none: "
                "the plugin's pods crash repeatedly",
                note="select only instance types with EFA",
            )


def _interfaces(container: PodContainer) -> int:
    quantity = container.amount(_RESOURCE)
    return 0 if quantity is None else quantity.value.numerator // quantity.value.denominator
