"""One node as the scheduler sees it, and its GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.spec import Taint

HOSTNAME = "kubernetes.io/hostname"


class DevicePart(msgspec.Struct, frozen=True):
    """One device of a resource: a GPU, a share of it or a slice."""

    gpu: int
    """The index of its GPU on the node, from 0."""
    milli: int
    """Its part of that GPU, in thousandths of the GPU's memory."""
    start: int | None = None
    """The first memory slice of a MIG slice; None for other devices."""
    slices: int = 0
    """The memory slices of a MIG slice."""


class Gpus(msgspec.Struct, frozen=True):
    """The accelerators of a node."""

    count: int
    model: str | None = None
    """A name of the hardware table; None if labels and profile name no known model."""
    pieces: Mapping[str, tuple[DevicePart, ...]] = {}
    """The devices by resource, each in the order of the GPUs."""
    sharing: str | None = None
    """`time-slicing`, `mps` or `mig`; None if each GPU is one device."""


class FleetNode(msgspec.Struct, frozen=True):
    """One node.

    `allocatable` in the scheduler's units: `cpu` in thousandths of a core, `memory`,
    `ephemeral-storage` and huge pages in bytes, `pods` and devices in whole ones.
    """

    name: str
    labels: Mapping[str, str]
    allocatable: Mapping[str, int]
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    gpus: Gpus | None = None
    group: str = ""
    """The name of a group of like nodes: the pool, or the distinguishing label of live nodes."""
