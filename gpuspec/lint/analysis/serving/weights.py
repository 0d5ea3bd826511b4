"""The size of a server's weights: known, published, or derived from the model's name."""

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
    """The weights that a server loads."""

    name: str
    """The model, as written."""
    size: int
    """The least size of its files, in bytes."""
    on_gpus: int | None
    """The least GPU memory for them, in bytes; None if a setting makes it unknown."""
    known: bool
    """Whether the configuration or the table of models has the size; otherwise it follows from the
    name."""
    words: str
    """The source of the size."""


def weights_of(container: PodContainer, server: Runtime, context: Context) -> LoadedWeights | None:
    """Return the weights of a server's configured model; None if their size is unknown."""
    names = (name for _, name in named_models(container, server) if not name.startswith("$"))
    name = next(names, "")
    size = context.facts.models.get(name)
    if size is not None:
        model_weights, is_known = models.said_weights(math.floor(size.value), name), True
    else:
        maybe = models.weights_of(name)
        if maybe is None:
            return None
        model_weights = maybe
        is_known = model_weights.origin == "published" and server.loads_as_published(
            container.image
        )
    method = _method(container, server)
    loaded = None if _is_smaller(container, server) else model_weights.loaded(method)
    words = model_weights.words if method is None else f"{model_weights.words}, held as {method}"
    return LoadedWeights(name, model_weights.least, loaded, is_known, words)


def _method(container: PodContainer, server: Runtime) -> str | None:
    """Return the configured quantization method."""
    setting = server.settings.quantization
    if setting is None:
        return None
    flag = container.words.flag(*setting.flags)
    if flag is not None:
        return flag.value or ""
    variable_name = next((name for name in setting.names if name in container.env), None)
    return None if variable_name is None else container.env_value(variable_name) or ""


def _is_smaller(container: PodContainer, server: Runtime) -> bool:
    """Return whether the GPUs hold less than the files' size, by an unknown amount."""
    if server.weights is None:
        return False
    options = (name for name in server.weights.smaller if name.startswith("-"))
    variables = (name for name in server.weights.smaller if not name.startswith("-"))
    return container.words.flag(*options) is not None or any(
        name in container.env for name in variables
    )
