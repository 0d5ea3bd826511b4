"""A server whose GPUs hold the weights, but not even one sequence of the longest context."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.parallel import is_first
from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.serving.context_length import context_of
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.weights import weights_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.launch import drives_one
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU924",
    "context-does-not-fit",
    "error",
    "One sequence of the maximum context does not fit in GPU memory",
    gives_way=("GPU203", "GPU731", "GPU916"),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that refuse to start then, with a model of which the shape is known."""
    if not is_whole(pod) or len(pod.gpu_containers) != 1 or not is_first(pod):
        return
    models = sorted(gpu_models(pod, context), key=lambda gpu_model: gpu_model.memory)
    container = pod.gpu_containers[0]
    server = server_of(container)
    if not models or server is None or not drives_one(container):
        return
    weights = weights_of(container, server, context)
    context_memory = None if weights is None else context_of(container, server, weights)
    if weights is None or context_memory is None:
        return
    need = context_memory.weights + context_memory.sequence
    small = [model for model in models if model.memory * context_memory.fraction < need]
    if not small:
        return
    most = small[-1]
    certain = len(small) == len(models) and weights.known
    length = f"{context_memory.tokens} tokens" + (
        "" if context_memory.said else ", the model's default length,"
    )
    server_setting = server.settings.max_length
    name = [*server_setting.arguments, *server_setting.names][0] if server_setting else "maximum"
    fits = context_memory.fitting(most.memory)
    advice = (
        f"set `{name}` (in a spec: `context`) below {fits}, or split the model over more GPUs"
        if fits
        else "split the model over more GPUs: the weights alone fill the GPU"
    )
    yield RawFinding(
        context_memory.path,
        f"{_gb(context_memory.weights)} of weights and {_gb(context_memory.sequence)} of cache for "
        f"{length} do not fit in {_gb(most.memory * context_memory.fraction)}, the part of "
        f"{most.article} `{most.name}` that {server.title} uses: {server.title} exits at startup",
        note=advice,
        severity="error" if certain else "warning",
        confidence="certain" if certain else "likely",
    )


def _gb(size: float) -> str:
    return f"{size / 1e9:.3g} GB"
