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
from gpuspec.lint.analysis.reading.mounted import mounted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import mapping, whole
from gpuspec.objects.launch import drives_one, launch_of
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU799",
    "degrees-do-not-divide",
    "warning",
    "A training program's parallelism does not divide its processes, batch or layers",
)

_BATCHES = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield programs that are known by their options, in every container."""
    for container in pod.containers:
        yield from _deepspeed(pod, container, context)
        parts = parts_of(pod, container)
        if parts is None:
            continue
        for of, by in broken(parts):
            yield _found(container, parts, of, by)
        yield from _devices(container, parts)


def _deepspeed(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    """Yield the configuration of DeepSpeed in a ConfigMap, by what DeepSpeed asserts at its start."""
    file = container.words.flag("--deepspeed", "--deepspeed-config")
    if file is None or not (file.value or "").startswith("/"):
        return
    config = mounted(pod, container, file.value or "", context.collection)
    if config is None:
        return
    settings = config.settings
    related = (
        RelatedPlace(config.object.number, config.object.path("data", config.key), "says so"),
    )
    modes = [mapping(settings.get(mode)).get("enabled") for mode in ("bf16", "fp16")]
    if modes == [True, True]:
        yield RawFinding(
            file.path,
            "`bf16` and `fp16` are both enabled: DeepSpeed exits at startup",
            note="enable only `bf16` or only `fp16`",
            related=related,
        )
    batch, micro, steps = (whole(settings.get(name)) for name in _BATCHES)
    world = _ranks(container)
    if not batch or not micro or not steps or not world or batch == micro * steps * world:
        return
    yield RawFinding(
        file.path,
        f"`train_batch_size: {batch}` is not {micro} × {steps} × {world} (micro batch × accumulation × "
        "processes): DeepSpeed exits at startup",
        note="omit one of the three numbers",
        confidence="likely",
        related=related,
    )


def _ranks(container: PodContainer) -> int | None:
    """Return the total number of processes that a launcher starts; None if unknown."""
    launch = launch_of(container)
    if launch is None or launch.told or launch.program == "accelerate":
        return None
    nodes = 1 if launch.nodes is None else launch.least_nodes
    if launch.processes is not None:
        each_node = launch.processes.number
    else:
        each_node = container.gpus if launch.program == "deepspeed" else None
    return each_node * nodes if each_node and nodes else None


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
        note="change one of the numbers: the first must be a multiple of the others' product",
        confidence="likely",
    )


def _words(stated_number: StatedNumber) -> str:
    return (
        stated_number.words
        if stated_number.path is not None
        else f"{stated_number.number} {stated_number.words}"
    )


def _product(words: list[str], total: int) -> str:
    """Return a product as written, with its result if there are several factors."""
    product_text = " × ".join(words)
    return f"{total} ({product_text})" if "×" in product_text else product_text


def _devices(container: PodContainer, parts: TrainingNumbers) -> Iterator[RawFinding]:
    """Yield devices of a node that the container does not have."""
    devices = parts.numbers.get("devices")
    if devices is None or not container.gpus or not drives_one(container):
        return
    if devices.number > container.gpus:
        is_single = container.gpus == 1
        yield RawFinding(
            devices.path or container.path("args"),
            f"{devices.words} in a container with {container.gpus} GPU{'' if is_single else 's'}: "
            f"{parts.trainer.title} exits at startup",
            note=f"request {devices.number} GPUs, or lower the number of devices to {container.gpus}",
            confidence="likely",
        )
