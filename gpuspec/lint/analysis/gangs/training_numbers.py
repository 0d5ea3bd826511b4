"""The numbers by which a training program divides its model over its processes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import msgspec

from gpuspec.numbers import read_whole
from gpuspec.objects.launch import launch_of
from gpuspec.runtimes.trainers import trainers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes.trainers import Number, Said, Trainer

_PROCESSES = ("PET_NPROC_PER_NODE", "NPROC_PER_NODE", "LOCAL_WORLD_SIZE")
_NODES = "PET_NNODES"
_OPERATED = ("kubeflow.org", "trainer.kubeflow.org")
"""Groups whose operators set missing options of the launcher."""
_DEGREES: tuple[Said, ...] = ("tensor", "pipeline", "context")
_EVERY = ("gpu", "auto")


class StatedNumber(msgspec.Struct, frozen=True):
    """A number, and its setting."""

    number: int
    words: str
    """The setting as written; empty for a default."""
    path: Path | None = None


class TrainingNumbers(msgspec.Struct, frozen=True):
    """A training program, and its numbers."""

    trainer: Trainer
    numbers: dict[Number, StatedNumber]
    options: frozenset[str]
    """The names of all options and settings."""


def parts_of(pod: Pod, container: PodContainer) -> TrainingNumbers | None:
    """Return the training program that a container starts; None if it starts no known one."""
    for trainer in trainers().trainers:
        options = dict(_said(container, trainer))
        if not any(mark in options for mark in trainer.marks):
            continue
        if any(option in options for option in trainer.unless):
            return None
        return TrainingNumbers(
            trainer, _numbers(pod, container, trainer, options), frozenset(options)
        )
    return None


def broken(parts: TrainingNumbers) -> Iterator[tuple[StatedNumber, list[StatedNumber]]]:
    """Yield numbers that are no multiple of the product of others, for each relation in the
    table."""
    for relation in trainers().relations:
        of = parts.numbers.get(relation.of)
        by = [parts.numbers[name] for name in relation.by if name in parts.numbers]
        # Whatever the others are, it has to be a multiple of those that are known.
        if of is None or not by or not parts.options.isdisjoint(relation.unless):
            continue
        if of.number % prod(number.number for number in by):
            yield of, by


def _said(container: PodContainer, trainer: Trainer) -> Iterator[tuple[str, tuple[str, Path]]]:
    """Yield options, or settings, with their values and paths."""
    words = container.words.all
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if trainer.settings:
            if equals:
                yield name.lstrip("+-"), (value.strip("'\""), word.path)
        elif word.text.startswith("--"):
            after = words[index + 1] if index + 1 < len(words) and not equals else word
            yield name.replace("_", "-"), (value if equals else after.text, after.path)


def _numbers(
    pod: Pod, container: PodContainer, trainer: Trainer, options: dict[str, tuple[str, Path]]
) -> dict[Number, StatedNumber]:
    numbers: dict[Number, StatedNumber] = {}
    # A variable may hold what no word says.
    unsaid = None if any("$" in word.text for word in container.words) else trainer.unsaid
    for key, names in trainer.names.items():
        name = next((option for option in names if option in options), None)
        if name is None:
            if unsaid is not None and key in _DEGREES:
                numbers[key] = StatedNumber(unsaid, "")
            continue
        value, path = options[name]
        number = read_whole(value)
        if number:
            numbers[key] = StatedNumber(
                number, f"`{name}{'=' if trainer.settings else ' '}{value}`", path
            )
    world = _world(pod, container, trainer, numbers)
    if world is not None:
        numbers["world"] = world
        degrees = [numbers[key].number for key in _DEGREES if key in numbers]
        if len(degrees) == len(_DEGREES) and not world.number % prod(degrees):
            numbers["data"] = StatedNumber(world.number // prod(degrees), "data-parallel copies")
    return numbers


def _world(
    pod: Pod, container: PodContainer, trainer: Trainer, numbers: dict[Number, StatedNumber]
) -> StatedNumber | None:
    """Return the number of processes of the run."""
    if trainer.settings:
        devices, nodes = numbers.get("devices"), numbers.get("nodes")
        if devices is None or nodes is None:
            return None
        return StatedNumber(devices.number * nodes.number, f"{devices.words} × {nodes.words}")
    launch = launch_of(container)
    if launch is None or launch.program != "torchrun" or launch.told:
        return None
    operated = pod.object.group in _OPERATED or bool(container.value.get("envFrom"))
    per_pod, words = _each(container, operated)
    count = launch.least_nodes if launch.most_nodes == launch.least_nodes else None
    if launch.nodes is None and not operated and _NODES not in container.env:
        count = 1
    elif launch.nodes is not None:
        words = f"{words} × `{launch.nodes.name} {launch.nodes.value}`"
    return StatedNumber(per_pod * count, words) if per_pod and count else None


def _each(container: PodContainer, operated: bool) -> tuple[int | None, str]:
    """Return the number of processes on a node, and its setting."""
    launch = launch_of(container)
    flag = None if launch is None else launch.processes
    if flag is None:
        unsaid = not operated and not any(name in container.env for name in _PROCESSES)
        return (1, "one process") if unsaid else (None, "")
    number = container.gpus if flag.value in _EVERY else flag.number
    return number or None, f"`{flag.name} {flag.value}`"
