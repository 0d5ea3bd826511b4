"""The longest context in a server's settings, and its memory on each GPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.gangs.parallel import degree_of
from gpuspec.models import cache_bits, known_model, sequence_bytes

if TYPE_CHECKING:
    from gpuspec.lint.analysis.serving.weights import LoadedWeights
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Runtime


class ContextMemory(msgspec.Struct, frozen=True):
    """The memory that one GPU must have for a server to start."""

    tokens: int
    said: bool
    """Whether the command line has the length; otherwise the model's configuration has it."""
    path: Path
    weights: int
    """Bytes of the GPU's part of the weights."""
    sequence: int
    """Bytes of the GPU's part of one sequence of that length."""
    fraction: float
    """The part of the GPU's memory that the server takes."""

    def fitting(self, memory: int) -> int:
        """Return the number of tokens that fit on a GPU of this size in bytes."""
        room = memory * self.fraction - self.weights
        return max(0, math.floor(room * self.tokens / self.sequence))


def context_of(
    container: PodContainer, server: Runtime, weights: LoadedWeights
) -> ContextMemory | None:
    """Return the context that must fit; None for a server that can run with less, and if a value is
    unknown."""
    model, degree = known_model(weights.name), degree_of(container)
    if model is None or not model.values or weights.on_gpus is None or degree is None:
        return None
    length, pipeline = (
        runtimes.asked_length(server, container.words.value),
        _pipeline(container, server),
    )
    bits = None if length is None else cache_bits(model, length.cache_type)
    if length is None or bits is None or not pipeline:
        return None
    server_setting = server.settings.max_length
    flag = container.words.flag(*(server_setting.flags if server_setting else ()))
    tokens = length.tokens or model.context
    return ContextMemory(
        tokens,
        length.tokens is not None,
        degree.path if flag is None else flag.path,
        weights.on_gpus // (degree.tensor * pipeline),
        sequence_bytes(model, tokens, bits, tensor=degree.tensor, pipeline=pipeline),
        length.fraction,
    )


def _pipeline(container: PodContainer, server: Runtime) -> int | None:
    """Return the number of stages that the layers are divided into."""
    setting, parallel = server.settings.pipeline, server.parallel
    names = (*(setting.flags if setting else ()), *(parallel.pipeline if parallel else ()))
    flag = container.words.flag(*names)
    return 1 if flag is None else flag.number
