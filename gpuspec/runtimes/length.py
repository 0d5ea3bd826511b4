"""Context length and memory fraction on the command line of a server that must hold its longest
context."""

import re
from collections.abc import Callable

from msgspec import Struct

from gpuspec.numbers import of_digits, read_decimal
from gpuspec.runtimes.model import Runtime

Option = Callable[..., str | None]
"""The value of the last of these options; None if the line has none of them."""

_TOKENS = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[kKmM]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "K": 1 << 10, "M": 1 << 20}


class Length(Struct, frozen=True):
    """The context that must fit, and the memory for it."""

    tokens: int | None
    """Tokens of the context. None: the number in the model's configuration."""
    cache_type: str | None
    """Data type of the KV cache; None by default."""
    fraction: float
    """The part of each GPU's memory that the server takes."""


def asked_length(server: Runtime, option: Option) -> Length | None:
    """Return the context that must fit. None for a server that can run with less, and for values
    that cannot be parsed."""
    rule, settings = server.sequence, server.settings
    if rule is None or option(*rule.unless) is not None:
        return None
    value = option(*settings.max_length.flags) if settings.max_length else None
    tokens = None if value is None else _tokens(value)
    if value is not None and not tokens:
        return None
    fraction = taken_fraction(server, option)
    if fraction is None:
        return None
    return Length(tokens, option(*rule.cache_type), fraction)


def taken_fraction(server: Runtime, option: Option) -> float | None:
    """Return the largest part of each GPU's memory that a server takes; None if unknown."""
    setting = server.settings.memory_fraction
    value = None if setting is None else option(*setting.flags)
    if value is None:
        return server.gpu_memory.fraction
    part = read_decimal(value)
    return part if part is not None and 0 < part <= 1 else None


def _tokens(text: str) -> int | None:
    """Return the number in `32768`, `32k` or `32K`; None for `auto` and everything else."""
    match = _TOKENS.fullmatch(text.strip())
    return None if match is None else of_digits(match["number"]) * _UNITS[match["unit"]]
