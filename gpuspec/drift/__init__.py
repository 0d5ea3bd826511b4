"""Compare a profile and specs with a running cluster."""

from gpuspec.drift.dump import Dump, read_dump
from gpuspec.drift.model import Difference, Drift, DriftRemark, Unseen
from gpuspec.drift.objects import ExpectedObject
from gpuspec.drift.run import drift

__all__ = [
    "Difference",
    "Drift",
    "DriftRemark",
    "Dump",
    "ExpectedObject",
    "Unseen",
    "drift",
    "read_dump",
]
