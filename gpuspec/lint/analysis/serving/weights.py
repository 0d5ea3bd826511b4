"""How many bytes of weights a server loads: known, published, or told by the model's name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gpuspec import models
from gpuspec.lint.analysis.serving.hub import named_models

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes import Runtime


class LoadedWeights(msgspec.Struct, frozen=True):
    """What a server loads."""

    name: str
    """The model, as it is written."""
    size: int
    """Bytes of its files, at least."""
    on_gpus: int | None
    """Bytes that they take in GPU memory, at least; None where what the server is told about them
    makes that unknown."""
    known: bool
    """The configuration tells the size, or it is a hub's that the table of models has; else the name
    does."""
    words: str
    """How the size comes about."""


def weights_of(container: PodContainer, server: Runtime, context: Context) -> LoadedWeights | None:
    """Return the weights of the model that a server is told to load; None where nothing tells their
    size."""
    names = (name for _, name in named_models(container, server) if not name.startswith("$"))
    name = next(names, "")
    size = context.facts.models.get(name)
    if size is not None:
        found, known = models.said_weights(math.floor(size.value), name), True
    else:
        maybe = models.weights_of(name)
        if maybe is None:
            return None
        found = maybe
        known = found.origin == "published" and server.loads_as_published(container.image)
    method = _method(container, server)
    loaded = None if _is_smaller(container, server) else found.loaded(method)
    words = found.words if method is None else f"{found.words}, held as {method}"
    return LoadedWeights(name, found.least, loaded, known, words)


def _method(container: PodContainer, server: Runtime) -> str | None:
    """Return the method by which it is told to hold weights in fewer bits."""
    setting = server.settings.quantization
    if setting is None:
        return None
    flag = container.words.flag(*setting.flags)
    if flag is not None:
        return flag.value or ""
    told = next((name for name in setting.names if name in container.env), None)
    return None if told is None else container.env_value(told) or ""


def _is_smaller(container: PodContainer, server: Runtime) -> bool:
    """Return whether less than the files comes to lie on the GPUs, by how much nobody can tell."""
    if server.weights is None:
        return False
    options = (name for name in server.weights.smaller if name.startswith("-"))
    variables = (name for name in server.weights.smaller if not name.startswith("-"))
    return container.words.flag(*options) is not None or any(
        name in container.env for name in variables
    )
