"""The pods to place: a number of pods of one shape, and whether they must start together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.manifests import Place


class TopologyLimit(msgspec.Struct, frozen=True):
    """A level of a topology; all pods of a gang must be in one of its domains."""

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
    """The minimum number of pods."""
    most: int
    """The maximum number of pods of an autoscaler; equal to `least` without one."""
    devices: int = 0
    """Accelerators of one pod."""
    unit: int | None = None
    """Demands with one number are placed together or not at all; None if each pod is useful alone.
    """
    groups: int = 1
    """Gangs that the pods divide into evenly."""
    queue: str | None = None
    queue_priority: int | None = None
    """Its priority in the queue, if it differs from its pods' priority."""
    near: TopologyLimit | None = None
    a_card: int | None = None
    """How many of its pods one card holds under HAMi; None if HAMi does not place it."""
    models: frozenset[str] | None = None
    """The GPU models that it may run on, by the hardware table's names, in addition to its
    shape."""
    places: tuple[tuple[str, Place], ...] = ()
    """The place of each resource request, by the resource's name."""
    unknown: str | None = None
    """Why the number of pods is unknown, or that another scheduler places them."""
    elsewhere: bool = False
    """Whether the reason is that it requests no device while all known nodes have some."""
    invalid: tuple[str, ...] = ()
    """Amounts that the API server refuses, as sentences: such a demand is not placed."""
    notes: tuple[str, ...] = ()
    """Further notes."""
