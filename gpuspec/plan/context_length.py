"""Check whether the GPUs have memory for one sequence of the longest context, next to mounted
weights.

For downloaded weights the linter checks it exactly. The contents of a volume are not known.
"""

import math

from gpuspec import runtimes
from gpuspec.models import cache_bits, known_model, sequence_bytes
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.device_options import DEVICES
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import gib
from gpuspec.spec import InferenceSpec, degrees
from gpuspec.spec.weights import on_gpus


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if no GPU of the pools has enough memory."""
    spec = resolution.spec
    if not isinstance(spec, InferenceSpec) or spec.model is None or spec.model.source.hub:
        return []
    model, size = known_model(spec.model.id), on_gpus(spec.model, spec)
    memory = _most_memory(resolution)
    if model is None or not model.values or size is None or memory is None:
        return []
    length = runtimes.asked_length(resolution.runtime, _Options(spec.args))
    bits = None if length is None else cache_bits(model, length.cache_type)
    if length is None or bits is None:
        return []
    tensor, pipeline = degrees(spec)
    requested_length = length.tokens or spec.context
    tokens = requested_length or model.context
    weights = size // (tensor * pipeline)
    sequence = sequence_bytes(model, tokens, bits, tensor=tensor, pipeline=pipeline)
    usable = math.floor(memory * length.fraction)
    if weights + sequence <= usable:
        return []
    whose_length = "" if requested_length else ", the model's own"
    title = resolution.runtime.title
    text = (
        f"{title} does not start: each GPU needs {gib(weights)} for weights and "
        f"{gib(sequence)} for a sequence of {tokens} tokens{whose_length}, but of its "
        f"{gib(memory)} {title} uses only {gib(usable)}; write a smaller `context`, or "
        "divide the model over more GPUs"
    )
    field = "args" if length.tokens else "context" if spec.context else "model"
    return [Note(text, Origin("spec", ("spec", field)), loud=True, doubt=True)]


class _Options:
    """The options of a command line by name."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def __call__(self, *names: str) -> str | None:
        flags = {runtimes.flag(name) for name in names}
        values = [
            runtimes.value_of(self._words, index) or ""
            for index, word in enumerate(self._words)
            if word.startswith("-") and runtimes.flag(word) in flags
        ]
        return values[-1] if values else None


def _most_memory(resolution: Resolution) -> int | None:
    """Return bytes of the largest whole GPU of the pools; None for shares, and if every GPU model
    is acceptable."""
    if any(chosen.device_option.kind not in DEVICES for chosen in resolution.pools):
        return None
    return max((model.memory for model in resolution.models), default=None)
