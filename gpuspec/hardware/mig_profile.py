"""One MIG profile: how much of a GPU it is, and where it may lie."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

Evidence = Literal["listing", "mock", "family"]


class Placement(NamedTuple):
    """Where a MIG instance may lie on the memory axis of its GPU, in slices of that axis."""

    start: int
    size: int

    def overlaps(self, placement: Placement) -> bool:
        """Return whether both need a slice in common, so that only one of them can exist."""
        return (
            self.start < placement.start + placement.size
            and placement.start < self.start + self.size
        )


class MigProfile(msgspec.Struct, frozen=True):
    """One MIG profile on one model; the same name means another thing on another model.

    `resource`: the extended resource under the `mixed` strategy. `compute_slices`: of the GPU's 7
    (4 on A30 and RTX PRO 6000). `memory_slices`: units of the memory axis, of which there are 8
    (4 on A30, 12 on RTX PRO 6000); each placement has this size. `memory`: usable bytes; where no
    device listing was found it is an estimate on the low side and `memory_estimated` is true.
    `evidence`: how the placements are known; `family` means as on sibling parts.
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
