"""A model and its context that are larger than the memory of the GPUs of llama.cpp or Ollama."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.serving.local_memory import LocalMemoryNeed, needs_of
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.launch import drives_one
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU823",
    "cache-does-not-fit",
    "warning",
    "A model and its context exceed the GPU memory of llama.cpp or Ollama",
    gives_way=("GPU731",),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that allocate the configured context."""
    if not is_whole(pod) or len(pod.gpu_containers) != 1:
        return
    container = pod.gpu_containers[0]
    server = server_of(container)
    if server is None or server.room is None or not drives_one(container):
        return
    models = gpu_models(pod, context)
    if not models or not container.gpus:
        return
    most = max(models, key=lambda model: model.memory)
    room = most.memory * container.gpus
    needs = [need for need in needs_of(pod, container, server) if need.total > room]
    for need in needs[:1]:
        name, several = f"`{most.name}`", container.gpus > 1
        count = f"{container.gpus} {name} have" if several else f"{most.article} {name} has"
        yield RawFinding(
            need.path,
            f"`{need.name}` needs at least {_gb(need.weights)} for weights and {_gb(need.cache)} for "
            f"{_context(need)}, but {count} {_gb(room)}: {_then(need, server.title)}",
            note=_note(need, room),
            confidence="likely",
        )


def _context(need: LocalMemoryNeed) -> str:
    words = f"a context of {need.tokens} tokens"
    return words if need.times == 1 else f"{need.times} contexts of {need.tokens} tokens"


def _then(need: LocalMemoryNeed, title: str) -> str:
    if need.spills:
        return f"{title} leaves layers on the CPU, and answers many times slower"
    return f"{title} is set to put all layers on the GPU, and exits at startup"


def _note(need: LocalMemoryNeed, room: int) -> str:
    remaining = room - need.weights
    if remaining <= 0:
        return "use more or larger GPUs, or fewer bits: the weights alone do not fit"
    tokens = remaining * need.tokens // need.cache
    in_all = "in all " if need.times > 1 else ""
    return f"set a smaller context: fewer than {tokens * need.times} tokens {in_all}fit with the weights"


def _gb(size: float) -> str:
    return f"{size / 1e9:.3g} GB"
