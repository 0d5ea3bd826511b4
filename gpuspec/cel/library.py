"""All functions."""

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
"""The files whose functions are known once they are imported."""

__all__ = ["FUNCTIONS"]
