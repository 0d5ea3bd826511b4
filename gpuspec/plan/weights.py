"""The assumed size of the weights if the spec states none, and the check of a stated size."""

import math

from gpuspec import models
from gpuspec.models import ModelWeights
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.hub import downloads
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import gib
from gpuspec.spec import InferenceSpec

# Bits of a parameter in the smallest format that weights on a volume are likely to have.
SMALLEST_BITS = 3
# Percent of what is published, or told by a name, below which a size is another model's.
TOO_SMALL = 80
# Times what is published from which on it is: twice are weights in 32 bits.
TOO_LARGE = 3

_ASSUMED = Origin("derived", row="weights")


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note for an assumed size, for an unknown one, and for a wrong one."""
    if resolution.model is None:
        return []
    return [*_size(resolution), *_method(resolution)]


def _method(resolution: Resolution) -> list[Note]:
    """Return a note if the pools are chosen for a quantization that no setting of the program
    has."""
    assert resolution.model is not None
    path, model = resolution.model
    if model.quantization is None or isinstance(resolution.spec, InferenceSpec):
        return []
    text = (
        f"GPUs are chosen for weights in memory as {model.quantization}; the program's "
        "own arguments have to select that format"
    )
    return [Note(text, Origin("spec", (*path, "quantization")))]


def _size(resolution: Resolution) -> list[Note]:
    assert resolution.model is not None
    path, model = resolution.model
    field = ".".join(map(str, path[1:]))
    if model.size is not None:
        return _contradiction(resolution, math.floor(model.size.value))
    if resolution.weights is not None:
        text = f"{field}.size is {gib(resolution.weights.most)}: {resolution.weights.words}"
        return [Note(text, _ASSUMED, loud=True, assumed=True)]
    if not downloads(resolution):
        return []
    text = (
        "scratch assumes small downloaded weights, because their size is unknown: if "
        f"they exceed it, the pod is evicted; write {field}.size"
    )
    return [Note(text, _ASSUMED, loud=True)]


def _contradiction(resolution: Resolution, stated_size: int) -> list[Note]:
    """Return a loud note if the stated size cannot be that of the named model."""
    assert resolution.model is not None
    path, model = resolution.model
    weights = models.weights_of(model.id)
    if weights is None:
        return []
    least = _least(weights, hub=model.source.hub is not None)
    if least <= stated_size < weights.most * TOO_LARGE:
        return []
    field, have = ".".join(map(str, path[1:])), gib(weights.least)
    amount = "few" if stated_size < least else "many"
    text = (
        f"`{field}.size` is {model.size}, but `{model.id}` has {have} ({weights.words}): gpuspec "
        f"derives too {amount} GPUs, memory, disk and start-up time; write `{field}.size: {have}`, or "
        f"name the quantized model in `{field}.id`"
    )
    return [Note(text, Origin("spec", (*path, "size")), loud=True, doubt=True)]


def _least(model_weights: ModelWeights, *, hub: bool) -> int:
    """Return the smallest possible size of the weights in bytes, in any format."""
    least = model_weights.least
    if not hub and model_weights.bits > SMALLEST_BITS:
        least = math.floor(least * SMALLEST_BITS / model_weights.bits)
    return least * TOO_SMALL // 100
