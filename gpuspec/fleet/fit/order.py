"""The options of a fit, and the labels of nodes that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.snapshot import Snapshot

ZONE = "topology.kubernetes.io/zone"


class Order(msgspec.Struct, frozen=True):
    """The options of a fit."""

    fleet: str
    version: str
    policy: Policy = "least-allocated"
    seeds: int = 5
    mix: tuple[PodDemand, ...] | None = None
    """The classes that also use the fleet; None for the demands themselves."""
    notes: tuple[str, ...] = ()


def read_labels(snapshot: Snapshot, demands: Iterable[PodDemand]) -> frozenset[str]:
    """Return the labels of nodes that any demand reads: other labels make no difference."""
    shapes = [*(demand.shape for demand in demands), *snapshot.shapes]
    label_keys = {ZONE, *(demand.near.label for demand in demands if demand.near)}
    return frozenset(label_keys.union(*(shape.reads | shape.wishes for shape in shapes)))
