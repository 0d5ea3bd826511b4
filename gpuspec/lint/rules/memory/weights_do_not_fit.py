"""A model whose weights are larger than the memory of the GPUs that it is divided over."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.gangs.parallel import degree_of, group_gpus, is_first
from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.weights import weights_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.launch import drives_one
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU916",
    "weights-do-not-fit",
    "error",
    "A model's weights exceed the memory of its GPUs",
    gives_way=("GPU203", "GPU731"),
)
_ROOM = 0.9
"""The largest fraction of a GPU's memory that contexts, graphs and a KV cache leave for weights."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that are known: weights against the memory of each model of GPU that the pod
    may get."""
    if not is_whole(pod) or len(pod.gpu_containers) != 1 or not is_first(pod):
        return
    # Most pods may get any GPU.
    models = sorted(gpu_models(pod, context), key=lambda gpu_model: gpu_model.memory)
    if not models:
        return
    container = pod.gpu_containers[0]
    server, degree = server_of(container), degree_of(container)
    if server is None or degree is None or not drives_one(container):
        return
    weights = weights_of(container, server, context)
    have = group_gpus(pod) if degree.nodes == 1 else container.gpus * degree.nodes
    size = None if weights is None else weights.on_gpus
    part = runtimes.taken_fraction(server, container.words.value)
    if weights is None or size is None or part is None or not have:
        return
    gpus = min(degree.total, have)
    small = [model for model in models if model.memory * part * gpus < size]
    if not small:
        return
    most = small[-1]
    never = len(small) == len(models)
    least = -(-size // math.floor(most.memory * _ROOM))
    name = f"`{most.name}`"
    gpus_have = f"{gpus} {name} have" if gpus > 1 else f"{most.article} {name} has"
    used_part = "" if most.memory * gpus < size else f", of which {server.title} uses {part:g}"
    where = "" if never else ", which the pod may get"
    yield RawFinding(
        degree.path,
        f"`{weights.name}` has {_gb(size)} of weights, but {gpus_have} "
        f"{_gb(most.memory * gpus)}{used_part}{where}: {server.title} runs out of GPU memory while "
        "it loads",
        note=f"use at least {least} GPUs of `{most.name}` for the weights alone ({weights.words}), "
        "and more for the KV cache",
        severity="error" if never and weights.known else "warning",
        confidence="certain" if never and weights.known else "likely",
    )


def _gb(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
