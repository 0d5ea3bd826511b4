"""The longest context that a server is told to make room for, and what it takes of each GPU."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.subjects.gangs.parallel import degree_of
from gpuspec.models import cache_bits, known_model, sequence_bytes
from gpuspec.numbers import of_digits, read_decimal

if TYPE_CHECKING:
    from gpuspec.lint.subjects.serving.weights import Weights
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import Container
    from gpuspec.runtimes import Runtime

_TOKENS = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[kKmM]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "K": 1 << 10, "M": 1 << 20}


class Context(msgspec.Struct, frozen=True):
    """What one GPU has to hold before a server starts."""

    tokens: int
    said: bool
    """The command line says how long; else the model's configuration does."""
    path: Path
    weights: int
    """Bytes of its part of the weights."""
    sequence: int
    """Bytes of its part of one sequence of that length."""
    fraction: float
    """Of the GPU's memory, what the server takes."""

    def fitting(self, memory: int) -> int:
        """Tokens that a GPU of so many bytes has room for."""
        room = memory * self.fraction - self.weights
        return max(0, math.floor(room * self.tokens / self.sequence))


def context_of(container: Container, server: Runtime, weights: Weights) -> Context | None:
    """What has to fit; None for a server that makes do with less, and where something is not known."""
    rule, model = server.sequence, known_model(weights.name)
    words, degree = container.words, degree_of(container)
    if rule is None or model is None or not model.values or weights.on_gpus is None:
        return None
    if degree is None or words.flag(*rule.unless) is not None:
        return None
    length, told = server.settings.max_length, words.flag(*rule.cache_type)
    flag = words.flag(*(length.flags if length else ()))
    tokens = model.context if flag is None else _tokens(flag.value or "")
    bits = cache_bits(model, None if told is None else told.value or "")
    pipeline, fraction = _pipeline(container, server), fraction_of(container, server)
    if not tokens or bits is None or pipeline is None or fraction is None:
        return None
    return Context(
        tokens,
        flag is not None,
        degree.path if flag is None else flag.path,
        weights.on_gpus // (degree.tensor * pipeline),
        sequence_bytes(model, tokens, bits, tensor=degree.tensor, pipeline=pipeline),
        fraction,
    )


def fraction_of(container: Container, server: Runtime) -> float | None:
    """Of a GPU's memory, what the server takes; None where that cannot be told."""
    setting = server.settings.memory_fraction
    flag = container.words.flag(*(setting.flags if setting else ()))
    if flag is None:
        return server.gpu_memory.fraction
    number = read_decimal(flag.value)
    return number if number is not None and 0 < number <= 1 else None


def _pipeline(container: Container, server: Runtime) -> int | None:
    """Stages that the layers are divided into."""
    setting, known = server.settings.pipeline, server.parallel
    names = (*(setting.flags if setting else ()), *(known.pipeline if known else ()))
    flag = container.words.flag(*names)
    return 1 if flag is None else flag.number


def _tokens(text: str) -> int | None:
    """`32768`, `32k` or `32K`; None for `auto` and all else."""
    found = _TOKENS.fullmatch(text.strip())
    return None if found is None else of_digits(found["number"]) * _UNITS[found["unit"]]
