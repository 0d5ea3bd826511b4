"""A memory limit below a program's known minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import runtimes
from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import at, text
from gpuspec.objects.containers import quantity
from gpuspec.products import memory_needs
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object
    from gpuspec.products import MemoryNeed

RULE = Rule(
    "GPU792",
    "program-outgrows-limit",
    "warning",
    "A memory limit is below what the program is known to use",
    fix="unsafe",
)
_LIMIT: Path = ("config", "resources", "limits", "memory")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield containers with an image that starts such a program by itself, and what sets the limit
    of its pods: the values of its chart, the Subscription to its package."""
    for pod in obj.pods:
        for container in pod.containers:
            limit_path = container.path(container.resources_at, "limits", "memory")
            need = _of_image(container)
            if need is not None:
                limit = container.limits.get("memory")
                yield from _judged(need, need.images[0], limit, limit_path)
    for release in releases_of(obj, context):
        for need in memory_needs():
            if need.chart == release.chart:
                place = tuple(need.at.split("."))
                limit_path, inside = release.place(*place)
                limit = at(release.values, place)
                yield from _judged(need, need.package, limit, limit_path, inside)
    if obj.is_a("operators.coreos.com", "Subscription"):
        for need in memory_needs():
            if need.package and need.package == text(obj.spec.get("name")):
                limit = at(obj.spec, _LIMIT)
                yield from _judged(need, need.package, limit, obj.path("spec", *_LIMIT))


def _judged(
    need: MemoryNeed,
    program: str,
    amount: object,
    path: Path,
    inside: Path | None = None,
) -> Iterator[RawFinding]:
    limit = quantity(amount)
    if limit is None or limit >= Quantity.parse(need.least):
        return
    release = f" {need.since} and newer" if need.since else ""
    yield RawFinding(
        path,
        f"the memory limit of {limit} is below the {need.least} that {program}{release} uses {need.when}: "
        f"the container is killed repeatedly with exit code 137, and {need.then}",
        note=f"set `memory: {need.enough}`" if inside is not None else None,
        confidence="likely",
        fix=set_field(path, need.enough) if inside is None else None,
        inside=inside,
    )


def _of_image(container: PodContainer) -> MemoryNeed | None:
    if container.value.get("command") or not container.image:
        return None
    return next(
        (
            need
            for need in memory_needs()
            if need.images
            and is_image(container.image, need.images)
            and (not need.since or runtimes.at_least(container.image, need.since))
        ),
        None,
    )
