"""What a profile and specs say, held against what runs."""

from gpuspec.drift.dump import Dump, read_dump
from gpuspec.drift.model import Difference, Drift, Remark, Unseen
from gpuspec.drift.objects import Said
from gpuspec.drift.run import drift

__all__ = ["Difference", "Drift", "Dump", "Remark", "Said", "Unseen", "drift", "read_dump"]
