"""The weights that a workload loads: what its spec says of them, else what is known of its model."""

import math

from gpuspec import models
from gpuspec.models import Weights
from gpuspec.spec.model_source import ModelRef


def weights_of(model: ModelRef) -> Weights | None:
    """Bytes of the weights: as the spec says, as published, or as the name says; else None."""
    if model.size is not None:
        return models.said_weights(math.floor(model.size.value))
    return models.weights_of(model.id)


def certain_weights(model: ModelRef) -> Weights | None:
    """Those whose size is no assumption: as the spec says, or as the hub has them that it names.

    A volume may hold the same model in a smaller format.
    """
    if model.size is None and model.source.hub is None:
        return None
    weights = weights_of(model)
    return None if weights is None or weights.origin == "name" else weights
