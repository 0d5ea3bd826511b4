"""How many bytes of weights a server loads into its GPUs: known, published, or told by its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.subjects.serving.hub import named_models
from gpuspec.models import known_model, read_name

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import Container
    from gpuspec.runtimes import Runtime

# Flags that make the weights in the GPU smaller than those on the disk.
_SMALLER = (
    *("--quantization", "-q", "--quantize", "--torchao-config", "--cpu-offload-gb"),
    *("--load-format", "--hf-overrides", "--config", "--lora-modules"),
    *("--extra_llm_api_options", "--extra-llm-api-options", "--model-format"),
)


class Weights(msgspec.Struct, frozen=True):
    """What a server loads."""

    name: str
    """The model, as it is written."""
    size: int
    """Bytes."""
    known: bool
    """The configuration tells the size, or it is a hub's that the table of models has; else the name
    does."""
    words: str
    """How the size comes about."""


def weights_of(container: Container, server: Runtime, context: Context) -> Weights | None:
    """The weights of the model that a server is told to load; None where nothing tells their size."""
    if container.words.flag(*_SMALLER) is not None or "QUANTIZE" in container.env:
        return None
    names = (name for _, name in named_models(container, server) if not name.startswith("$"))
    name = next(names, "")
    size = context.facts.models.get(name)
    if size is not None:
        return Weights(name, math.floor(size.value), True, "as the configuration says")
    model = known_model(name)
    if model is not None:
        return Weights(name, model.loaded, _loads_all(server), "as it is published")
    named = read_name(name)
    return None if named is None else Weights(name, named.least, False, named.words)


def _loads_all(server: Runtime) -> bool:
    """Whether nothing but flags that are known makes what it loads smaller than the hub's files.

    Those that are told one file, or load on request, choose a format and may leave layers to the CPU.
    """
    told = server.weights
    return told is None or (told.file is None and not told.on_request)
