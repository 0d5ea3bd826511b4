"""Idle GPUs that no class can use: fragmentation by class of work, and MIG's geometry."""

from gpuspec.fleet.fragments.classes import Class, common
from gpuspec.fleet.fragments.metric import Metric
from gpuspec.fleet.fragments.slot_bounds import SlotBound, bound, slots
from gpuspec.fleet.fragments.state import State
from gpuspec.fleet.fragments.stranding import Strand, stranded
from gpuspec.fleet.fragments.use import fragment, usable

__all__ = [
    "Class",
    "Metric",
    "SlotBound",
    "State",
    "Strand",
    "bound",
    "common",
    "fragment",
    "slots",
    "stranded",
    "usable",
]
