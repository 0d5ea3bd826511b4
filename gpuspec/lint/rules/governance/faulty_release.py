"""A release of an image or of a chart has a fault that is known, and the circumstances show it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.lint.analysis.devices.contradictions import of_releases
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.analysis.reading.releases import is_there, releases_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import read_version
from gpuspec.products import faults
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.products import Fault

RULE = Rule(
    "GPU427",
    "faulty-release",
    "warning",
    "A release of an image or chart has a known fault that applies here",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield releases of charts, and images of containers, by the table of faults."""
    yield from of_releases(obj, context, faults=True)
    for release in releases_of(obj, context):
        for fault in faults():
            chart_release = _release(release.version)
            if (
                release.chart in fault.charts
                and fault.has(chart_release)
                and _is_beside(fault, context)
            ):
                yield _found(fault, release.path[:-1], chart_release)
    for pod in obj.pods:
        for container in pod.every:
            for fault in faults():
                if (number := _shows(fault, container, pod, context)) is not None:
                    yield _found(fault, container.path("image"), number)


def _shows(
    fault: Fault, container: PodContainer, pod: Pod, context: Context
) -> tuple[int, ...] | None:
    """Return the release of a container's image, if it has a known fault and meets its conditions."""
    if not container.image or not is_image(container.image, fault.images):
        return None
    number = _release(container.image.partition("@")[0].rpartition(":")[2])
    if not fault.has(number) or (fault.groups and pod.object.group not in fault.groups):
        return None
    if fault.option:
        value = container.words.value(fault.option)
        if value is None or not re.search(fault.like, value):
            return None
    if fault.instances and not _is_on(fault.instances, pod, context):
        return None
    return number if _is_beside(fault, context) else None


def _release(release_text: str) -> tuple[int, ...]:
    """Return a release of three numbers; nothing for a tag that moves with several."""
    number = read_version(release_text.removeprefix("v"))
    return number if len(number) > 2 else ()


def _is_on(instances: tuple[str, ...], pod: Pod, context: Context) -> bool:
    """Return whether a pod can run on some instance types, according to its requirements or else
    the profile."""
    required = [
        requirement.values
        for requirement in in_all(pod)
        if (requirement.key, requirement.operator) == (hardware.INSTANCE_TYPE, "In")
    ]
    if not required:
        required = [(pool.pool.labels.get(hardware.INSTANCE_TYPE, ""),) for pool in context.placed]
    return any(value in instances for values in required for value in values)


def _is_beside(fault: Fault, context: Context) -> bool:
    return not fault.beside or any(
        is_there(product, context.collection) for product in fault.beside
    )


def _found(fault: Fault, path: tuple[str | int, ...], release: tuple[int, ...]) -> RawFinding:
    return RawFinding(
        path,
        fault.says.replace("{release}", ".".join(map(str, release))),
        note=fault.note,
        confidence="likely",
    )
