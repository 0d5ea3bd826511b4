"""The modules that define the functions."""

from gpuspec.cel import (
    addresses,
    clocks,
    conversions,
    formats,
    lists,
    operators,
    quantities,
    texts,
    urls,
    versions,
)
from gpuspec.cel.registry import FUNCTIONS

HOMES = (
    addresses,
    clocks,
    conversions,
    formats,
    lists,
    operators,
    quantities,
    texts,
    urls,
    versions,
)
"""The modules that register their functions on import."""

__all__ = ["FUNCTIONS"]
