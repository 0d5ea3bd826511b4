"""How many bytes of weights a server loads into its GPUs: known, or told by the model's name."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.subjects.serving.hub import named_models
from gpuspec.numbers import inexact, read_fraction

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import Container
    from gpuspec.runtimes import Runtime

# Flags that make the weights in the GPU smaller than those on the disk.
_SMALLER = (
    *("--quantization", "-q", "--quantize", "--torchao-config", "--cpu-offload-gb"),
    *("--load-format", "--hf-overrides", "--config", "--lora-modules"),
)
# Bytes of one parameter by what a name says of its format; what says nothing is published in 16 bits.
# gpt-oss is in 4 bits without a word.
_BYTES = (
    (Fraction(1, 4), ("gguf", "2bit", "2-bit", "int2", "1bit", "bitnet", "ternary")),
    (Fraction(1, 2), ("awq", "gptq", "int4", "4bit", "4-bit", "w4a", "fp4", "bnb", "hqq", "exl")),
    (Fraction(1, 2), ("gpt-oss",)),
    (Fraction(1), ("fp8", "int8", "8bit", "8-bit", "w8a", "f8")),
)
_PLAIN = Fraction(2)


class Weights(msgspec.Struct, frozen=True):
    """What a server loads."""

    name: str
    """The model, as it is written."""
    size: int
    """Bytes."""
    known: bool
    """The configuration tells the size; else the name does."""
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
    parameters = _parameters(name)
    if parameters is None:
        return None
    each = _bytes(name.lower())
    count = f"{inexact(parameters):g} billion parameters of {inexact(each):g} bytes"
    return Weights(name, math.floor(parameters * each * 10**9), False, count)


def _parameters(name: str) -> Fraction | None:
    """Billions, by the largest number with a B in the last part of a name: `Llama-3.1-70B`.

    Not those of a mixture's parts: `8x7B`, `A3B`, `E4B`.
    """
    last = name.rstrip("/").rpartition("/")[2]
    if "b" not in last and "B" not in last:
        return None
    found = re.findall(
        r"(?<![\w.])([0-9]{1,4}(?:\.[0-9]{1,9})?)[bB](?![A-Za-z0-9])", last.replace("_", "-")
    )
    return max(filter(None, map(read_fraction, found)), default=None)


def _bytes(name: str) -> Fraction:
    return next((each for each, marks in _BYTES if any(mark in name for mark in marks)), _PLAIN)
