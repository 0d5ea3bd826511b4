"""The weights that a workload loads: what its spec says of them, else what is known of its model."""

import math

from gpuspec import models, runtimes
from gpuspec.models import ModelWeights
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.model_source import ModelRef


def weights_of(model: ModelRef) -> ModelWeights | None:
    """Return bytes of the weights: as the spec says, as published, or as the name says; else
    None."""
    if model.size is not None:
        return models.said_weights(math.floor(model.size.value), model.id)
    return models.weights_of(model.id)


def on_gpus(model: ModelRef, spec: WorkloadSpec) -> int | None:
    """Return bytes that the weights take on the GPUs together at least; None where that is not
    certain.

    Certain is what the spec says, and what a server downloads from the hub: a volume may hold the
    same model in a smaller format, and a program of one's own may keep a part elsewhere.
    """
    if isinstance(spec, InferenceSpec) and _is_smaller(spec):
        return None
    candidates = [models.said_weights(math.floor(model.size.value), model.id)] if model.size else []
    if (model_weights := published(model, spec)) is not None:
        candidates.append(model_weights)
    method = quantization(model, spec)
    sizes = [weights.loaded(method) for weights in candidates]
    return max((size for size in sizes if size is not None), default=None)


def quantization(model: ModelRef, spec: WorkloadSpec) -> str | None:
    """Return the method by which the server holds the weights in fewer bits; None where none is
    said."""
    if model.quantization is not None:
        return model.quantization
    if not isinstance(spec, InferenceSpec):
        return None
    setting = runtimes.get(spec.runtime).settings.quantization
    if setting is None:
        return None
    for index, word in enumerate(spec.args):
        if runtimes.flag(word) in setting.flags:
            return runtimes.value_of(spec.args, index)
    return next((str(spec.env[name]) for name in setting.names if name in spec.env), None)


def published(model: ModelRef, spec: WorkloadSpec) -> ModelWeights | None:
    """Return the weights as the hub has them, where a server that is known downloads and loads
    those."""
    if not isinstance(spec, InferenceSpec) or model.source.hub is None:
        return None
    if not runtimes.get(spec.runtime).loads_as_published(spec.image):
        return None
    return models.published_weights(model.id)


def _is_smaller(spec: InferenceSpec) -> bool:
    """Return whether less than the weights comes to lie on the GPUs, by how much nobody can
    tell."""
    weights = runtimes.get(spec.runtime).weights
    option_names = {*map(runtimes.flag, spec.args), *spec.env}
    return weights is not None and not option_names.isdisjoint(weights.smaller)
