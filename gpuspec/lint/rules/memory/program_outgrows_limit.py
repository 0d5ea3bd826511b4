"""A memory limit below what a program is known to take, whatever it is given to do."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.security.images import image_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Quantity
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU792",
    "program-outgrows-limit",
    "warning",
    "A memory limit is below what the program uses when idle",
    fix="unsafe",
)


class _Program(msgspec.Struct, frozen=True):
    """What one program takes."""

    image: str
    """The last part of its repository."""
    since: str
    """The first release that takes so much."""
    rest: Quantity
    """What most of its pods take; the least that were measured took a tenth less."""
    enough: Quantity
    """A limit that has done on nodes of 8 GPUs."""


_PROGRAMS = (_Program("dcgm-exporter", "4.0.0", Quantity.parse("450Mi"), Quantity.parse("1Gi")),)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with an image that starts such a program by itself."""
    for container in pod.containers:
        program, limit = _program(container), quantity(container.limits.get("memory"))
        if program is None or limit is None or limit >= program.rest:
            continue
        path = container.path(container.resources_at, "limits", "memory")
        yield RawFinding(
            path,
            f"the memory limit of {limit} is below the {program.rest} that {program.image} "
            f"{program.since} and newer uses when idle: the container is killed repeatedly with "
            "exit code 137, and there are no metrics meanwhile",
            confidence="likely",
            fix=Fix(f"set `memory: {program.enough}`", (Put(path, str(program.enough)),)),
        )


def _program(container: PodContainer) -> _Program | None:
    image = None if container.value.get("command") else image_of(container.image)
    if image is None:
        return None
    name = image.repository.rpartition("/")[2]
    return next(
        (
            program
            for program in _PROGRAMS
            if program.image == name and runtimes.at_least(container.image, program.since)
        ),
        None,
    )
