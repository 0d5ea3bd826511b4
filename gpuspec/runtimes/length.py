"""What a server that has to have room for its longest context is told of that, and of its memory."""

import re
from collections.abc import Callable

from msgspec import Struct

from gpuspec.numbers import of_digits, read_decimal
from gpuspec.runtimes.model import Runtime

Option = Callable[..., str | None]
"""The value of the last of some options; None where there is none of them."""

_TOKENS = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[kKmM]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "K": 1 << 10, "M": 1 << 20}


class Length(Struct, frozen=True):
    """What has to have room, and in how much."""

    tokens: int | None
    """None: as many as the model's configuration says."""
    cache_type: str | None
    """Of what is kept for each of them; None where nothing is said."""
    fraction: float
    """Of each GPU's memory, what the server takes."""


def asked_length(server: Runtime, option: Option) -> Length | None:
    """Return none for a server that makes do with less, and where what it is told cannot be
    understood."""
    rule, settings = server.sequence, server.settings
    if rule is None or option(*rule.unless) is not None:
        return None
    written = option(*settings.max_length.flags) if settings.max_length else None
    tokens = None if written is None else _tokens(written)
    if written is not None and not tokens:
        return None
    fraction = taken_fraction(server, option)
    if fraction is None:
        return None
    return Length(tokens, option(*rule.cache_type), fraction)


def taken_fraction(server: Runtime, option: Option) -> float | None:
    """Return the largest part of each GPU's memory that a server takes; None if unknown."""
    setting = server.settings.memory_fraction
    told = None if setting is None else option(*setting.flags)
    if told is None:
        return server.gpu_memory.fraction
    part = read_decimal(told)
    return part if part is not None and 0 < part <= 1 else None


def _tokens(text: str) -> int | None:
    """Return `32768`, `32k` or `32K`; None for `auto` and all else."""
    match = _TOKENS.fullmatch(text.strip())
    return None if match is None else of_digits(match["number"]) * _UNITS[match["unit"]]
