"""A MIG profile: its share of a GPU, and its possible placements."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

Evidence = Literal["listing", "mock", "family"]


class Placement(NamedTuple):
    """A possible placement of a MIG instance on the memory axis of its GPU, in memory slices."""

    start: int
    size: int

    def overlaps(self, placement: Placement) -> bool:
        """Return whether two placements share a slice, so that only one can exist."""
        return (
            self.start < placement.start + placement.size
            and placement.start < self.start + self.size
        )


class MigProfile(msgspec.Struct, frozen=True):
    """One MIG profile on one model; the same name has another meaning on another model.

    `resource`: the extended resource under the `mixed` strategy. `compute_slices`: of the GPU's 7
    (4 on A30 and RTX PRO 6000). `memory_slices`: units of the memory axis, which has 8 (4 on A30,
    12 on RTX PRO 6000); each placement has this size. `memory`: usable bytes; without a known
    device listing it is a low estimate and `memory_estimated` is true. `evidence`: the source of
    the placements; `family` means they are those of sibling models.
    """

    name: str
    resource: str
    compute_slices: int
    memory_slices: int
    max_per_gpu: int
    placements: tuple[Placement, ...]
    memory: int
    memory_estimated: bool
    evidence: Evidence
    source: str
