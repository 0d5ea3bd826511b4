"""The GPUs of one node that are handed out in one way, and what a node gives to a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.spec.pools import MOST_GPUS

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Sharing

GPU = "nvidia.com/gpu"


class NodeGpus(msgspec.Struct, frozen=True):
    """The GPUs of one node that are handed out in one way.

    `count` are GPUs, not slices or shares, of which `usable` can be allocated now; of a partition
    they are the devices that the GPUs became, `parts` of each. `beside` are GPUs of the same node
    that are handed out in another way. `remarks` are for a person to check. `called`: what nodes
    call a GPU that the model only stands in for. `claimed`: pods have them by claims.
    """

    model: GpuModel
    count: int
    usable: int
    resource: str = GPU
    sharing: Sharing | None = None
    beside: int = 0
    remarks: tuple[str, ...] = ()
    called: str | None = None
    partition: str | None = None
    parts: int = 1
    claimed: bool = False

    @property
    def device(self) -> GpuModel:
        """What one of them is: the model, or a partition of it."""
        if self.partition is None:
            return self.model
        return hardware.partitioned(self.model, self.partition)

    @property
    def gpus(self) -> int:
        """GPUs in the node that are handed out so."""
        return self.count // self.parts


class Reading(msgspec.Struct, frozen=True):
    """What a node gives to a profile, and what stands in the way of the rest."""

    parts: tuple[NodeGpus, ...] = ()
    reasons: tuple[str, ...] = ()


def bounded(reading: Reading) -> Reading:
    """Return what a profile can state of a reading, and why it cannot the rest."""
    many = tuple(
        f"{part.count} GPUs in one node are more than a profile can state ({MOST_GPUS})"
        for part in reading.parts
        if part.count > MOST_GPUS
    )
    parts = tuple(part for part in reading.parts if part.count <= MOST_GPUS)
    return Reading(parts, reading.reasons + many)


def both(node: LiveNode, resource: str) -> tuple[int, int]:
    """Return capacity and allocatable."""
    allocatable = node.amount(resource) or 0
    return max(node.amount(resource, capacity=True) or 0, allocatable), allocatable
