"""A training program whose numbers do not divide: degrees and processes, batches, layers, heads."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.gangs.training_numbers import (
    StatedNumber,
    TrainingNumbers,
    broken,
    parts_of,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.launch import drives_one
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU799",
    "degrees-do-not-divide",
    "warning",
    "A training program's parallelism does not divide its processes, batch or layers",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield programs that are known by their options, in every container."""
    for container in pod.containers:
        parts = parts_of(pod, container)
        if parts is None:
            continue
        for of, by in broken(parts):
            yield _found(container, parts, of, by)
        yield from _devices(container, parts)


def _found(
    container: PodContainer, parts: TrainingNumbers, of: StatedNumber, by: list[StatedNumber]
) -> RawFinding:
    numbers = [number for number in by if number.words]
    path = next(
        (number.path for number in (of, *numbers) if number.path is not None),
        container.path("args"),
    )
    right = _product([_words(number) for number in numbers], prod(number.number for number in by))
    product = _product([of.words], of.number)
    return RawFinding(
        path,
        f"{product} is not a multiple of {right}: {parts.trainer.title} exits at startup",
        confidence="likely",
    )


def _words(stated_number: StatedNumber) -> str:
    return (
        stated_number.words
        if stated_number.path is not None
        else f"{stated_number.number} {stated_number.words}"
    )


def _product(words: list[str], total: int) -> str:
    """Return a product as it is written, with what it comes to where there are several factors."""
    written = " × ".join(words)
    return f"{total} ({written})" if "×" in written else written


def _devices(container: PodContainer, parts: TrainingNumbers) -> Iterator[RawFinding]:
    """Yield devices of a node that the container does not have."""
    devices = parts.numbers.get("devices")
    if devices is None or not container.gpus or not drives_one(container):
        return
    if devices.number > container.gpus:
        one = container.gpus == 1
        yield RawFinding(
            devices.path or container.path("args"),
            f"{devices.words} in a container with {container.gpus} GPU{'' if one else 's'}: "
            f"{parts.trainer.title} exits at startup",
            confidence="likely",
        )
