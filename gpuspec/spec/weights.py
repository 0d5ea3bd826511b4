"""The size of a workload's weights: from its spec, or from known facts about its model."""

import math

from gpuspec import models, runtimes
from gpuspec.models import ModelWeights
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.model_source import ModelRef


def weights_of(model: ModelRef) -> ModelWeights | None:
    """Return the size of the weights in bytes: from the spec, as published, or from the name;
    otherwise None."""
    if model.size is not None:
        return models.said_weights(math.floor(model.size.value), model.id)
    return models.weights_of(model.id)


def on_gpus(model: ModelRef, spec: WorkloadSpec) -> int | None:
    """Return the minimum bytes of the weights on all GPUs together; None if uncertain.

    Certain are sizes in the spec, and weights that a known server downloads from the hub. A volume
    may contain the model in a smaller format, and a custom program may keep a part elsewhere.
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
    """Return the server's quantisation method; None if not set."""
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
    """Return the weights on the hub, if a known server downloads and loads them."""
    if not isinstance(spec, InferenceSpec) or model.source.hub is None:
        return None
    if not runtimes.get(spec.runtime).loads_as_published(spec.image):
        return None
    return models.published_weights(model.id)


def _is_smaller(spec: InferenceSpec) -> bool:
    """Return whether the GPUs hold less than all weights, by an unknown amount."""
    weights = runtimes.get(spec.runtime).weights
    option_names = {*map(runtimes.flag, spec.args), *spec.env}
    return weights is not None and not option_names.isdisjoint(weights.smaller)
