"""The monitoring objects of a workload."""

import msgspec

from gpuspec.plan.decision import Note
from gpuspec.plan.facets import ObjectPlan


class MonitoringObjects(msgspec.Struct, frozen=True):
    """The monitoring objects, by their position among other objects, with notes."""

    early: tuple[ObjectPlan, ...] = ()
    """The objects that are applied with the configuration."""
    late: tuple[ObjectPlan, ...] = ()
    notes: tuple[Note, ...] = ()
