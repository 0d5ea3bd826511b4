"""What is to be placed: so many pods of one shape, and what binds them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.manifests import Place


class TopologyLimit(msgspec.Struct, frozen=True):
    """A level of a topology within which all pods of a gang are to be placed."""

    label: str
    required: bool


class PodDemand(msgspec.Struct, frozen=True):
    """One kind of pod of one object."""

    name: str
    namespace: str
    kind: str
    role: str
    place: Place | None
    shape: Shape
    least: int
    """Pods that there are at least."""
    most: int
    """Pods that an autoscaler may make of them; as `least` where none does."""
    devices: int = 0
    """Accelerators of one pod."""
    unit: int | None = None
    """Demands of one number are placed together or not at all; None for pods of use alone."""
    groups: int = 1
    """Gangs that the pods divide into evenly."""
    queue: str | None = None
    queue_priority: int | None = None
    """Its priority among what waits in the queue, where that is not its pods'."""
    near: TopologyLimit | None = None
    a_card: int | None = None
    """How many of its pods one card holds under HAMi; None where HAMi does not place it."""
    models: frozenset[str] | None = None
    """Of GPUs that it may run on, by the hardware table's names, besides what its shape says."""
    places: tuple[tuple[str, Place], ...] = ()
    """Where each resource is asked for, by its name."""
    unknown: str | None = None
    """Why nothing tells how many pods there are, or that this scheduler does not place them."""
    elsewhere: bool = False
    """Whether that is so since it asks for no device, and the nodes that are known all have some."""
    invalid: tuple[str, ...] = ()
    """Amounts that the API server refuses, in sentences: nothing is placed."""
    notes: tuple[str, ...] = ()
    """What is to be known of it besides."""
