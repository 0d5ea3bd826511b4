"""GPUs of one node with the same device options, and what a profile can state of the node."""

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
    """GPUs of one node that are requested in the same way.

    `count` is the number of GPUs, not of slices or shares, and `usable` is the number of
    allocatable ones. For a partition both count its devices, `parts` for each GPU. `beside` are
    GPUs of the same node that are requested in another way. `remarks` are for the user to check.
    `called`: the name in the nodes' labels, for a GPU that the model only approximates. `claimed`:
    pods request them by claims.
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
        """The device: the model, or a partition of it."""
        if self.partition is None:
            return self.model
        return hardware.partitioned(self.model, self.partition)

    @property
    def gpus(self) -> int:
        """Number of GPUs in the node that are requested in this way."""
        return self.count // self.parts


class Reading(msgspec.Struct, frozen=True):
    """The GPUs of a node for a profile, and the reasons against the others."""

    parts: tuple[NodeGpus, ...] = ()
    reasons: tuple[str, ...] = ()


def bounded(reading: Reading) -> Reading:
    """Return the part of a reading that a profile can state, with the reasons against the rest."""
    too_many = tuple(
        f"{part.count} GPUs in one node are more than a profile can state ({MOST_GPUS})"
        for part in reading.parts
        if part.count > MOST_GPUS
    )
    parts = tuple(part for part in reading.parts if part.count <= MOST_GPUS)
    return Reading(parts, reading.reasons + too_many)


def both(node: LiveNode, resource: str) -> tuple[int, int]:
    """Return capacity and allocatable."""
    allocatable = node.amount(resource) or 0
    return max(node.amount(resource, capacity=True) or 0, allocatable), allocatable
