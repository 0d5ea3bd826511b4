"""How a fit is to be made, and what it reads of nodes."""

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
    """How a fit is to be made."""

    fleet: str
    version: str
    policy: Policy = "least-allocated"
    seeds: int = 5
    mix: tuple[PodDemand, ...] | None = None
    """Who else would use the fleet; None for the demands themselves."""
    notes: tuple[str, ...] = ()


def read_labels(snapshot: Snapshot, demands: Iterable[PodDemand]) -> frozenset[str]:
    """Return the labels of nodes that anything here asks for: others tell no nodes apart."""
    shapes = [*(demand.shape for demand in demands), *snapshot.shapes]
    label_keys = {ZONE, *(demand.near.label for demand in demands if demand.near)}
    return frozenset(label_keys.union(*(shape.reads | shape.wishes for shape in shapes)))
