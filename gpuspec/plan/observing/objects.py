"""The objects that stand beside a workload for whoever watches it."""

import msgspec

from gpuspec.plan.decision import Note
from gpuspec.plan.facets import ObjectPlan


class Observed(msgspec.Struct, frozen=True):
    """The objects, by the place that they have among others, and what to know of them."""

    early: tuple[ObjectPlan, ...] = ()
    """Those that stand among configuration."""
    late: tuple[ObjectPlan, ...] = ()
    notes: tuple[Note, ...] = ()
