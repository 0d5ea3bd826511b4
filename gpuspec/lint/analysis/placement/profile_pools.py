"""The pools of a profile, with facts that several rules need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.fleet.labels import PossibleLabels
    from gpuspec.hardware import GpuModel
    from gpuspec.spec import ClusterProfileSpec, Pool


class AdvertisingPool(msgspec.Struct, frozen=True):
    """A pool that advertises the requested device."""

    index: int
    pool: Pool
    model: GpuModel
    labels: PossibleLabels


def placed(cluster: ClusterProfileSpec | None) -> list[AdvertisingPool]:
    """Return all pools of a profile."""
    if cluster is None or not cluster.pools:
        return []
    from gpuspec.fleet.labels import pool_labels
    from gpuspec.spec import model_of

    advertising_pools: list[AdvertisingPool] = []
    for index, pool in enumerate(cluster.pools):
        model = model_of(pool)
        labels = pool_labels(pool, model, cluster.provider)
        advertising_pools.append(AdvertisingPool(index, pool, model, labels))
    return advertising_pools
