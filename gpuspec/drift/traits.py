"""Differences between a node and its pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.labels import CAPACITY, capacity, zone
from gpuspec.cluster.discover.model import DiscoveredModel, model_of
from gpuspec.drift.claimed import claimed
from gpuspec.drift.devices import devices, sizes
from gpuspec.drift.marks import labels, levels, sharing, taints
from gpuspec.drift.model import Trait
from gpuspec.spec.pools import REGION_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.drift.claimed import Slices
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool, Topology


def traits(
    node: LiveNode, pools: Sequence[Pool], topology: Topology | None = None, slices: Slices = None
) -> list[Trait]:
    """Return all differences. Several pools are parts of the same node, which has the sum of their
    devices.

    `slices` are the DRA driver's slices of the node; None if the dump has no slices.
    """
    first = pools[0]
    model_traits = [*_model(node, first)]
    renamed = bool(model_traits)
    return [
        *_state(node),
        *model_traits,
        *devices(node, pools, dra=bool(slices)),
        *claimed(node, pools, slices),
        *labels(node, pools, renamed=renamed),
        *levels(node, first, topology),
        *sharing(node, pools),
        *taints(node, first),
        *_place(node, first),
        *sizes(node, pools),
    ]


def _state(node: LiveNode) -> Iterator[Trait]:
    if not node.ready:
        yield Trait("state", "not ready")
    if node.cordoned:
        yield Trait("state", "cordoned")


def other_model(node: LiveNode, pool: Pool) -> bool | None:
    """Return whether the node's GPUs differ from the pool's model; None if this is not certain."""
    gpu_model = _surely(node, pool)
    return None if gpu_model is None else gpu_model.name != hardware.model(pool.gpu.model).name


def _surely(node: LiveNode, pool: Pool) -> GpuModel | None:
    """Return the model of a node that may belong to the pool; None if it is not certain, or not in
    the table."""
    if pool.gpu.memory is not None:
        return None
    model = model_of(node, hardware.model(pool.gpu.model).vendor)
    return model.model if isinstance(model, DiscoveredModel) and not model.remark else None


def _model(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    gpu_model = _surely(node, pool)
    if gpu_model is not None and gpu_model.name != hardware.model(pool.gpu.model).name:
        yield Trait("model", f"its GPU is {gpu_model.name}, but the pool's is {pool.gpu.model}")


def _place(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    where, zones = zone(node), pool.all_zones
    if where is not None and zones and where not in zones:
        yield Trait("zone", f"in zone {where}, but the pool spans {', '.join(zones)}")
    region = node.labels.get(REGION_LABEL)
    if region is not None and pool.its_region not in (None, region):
        yield Trait("zone", f"in region {region}, but the pool is in {pool.its_region}")
    is_told = any(key in node.labels for key in CAPACITY)
    if is_told and capacity(node) != pool.capacity:
        yield Trait("capacity", f"{capacity(node)} by its labels, but the pool is {pool.capacity}")
    if node.architecture != pool.architecture:
        yield Trait("architecture", f"{node.architecture}, but the pool says {pool.architecture}")
