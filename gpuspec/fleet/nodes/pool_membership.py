"""The pool of a profile that a live node belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.fleet.nodes.node import Gpus
    from gpuspec.spec import Pool


def pool_of(pools: Sequence[Pool], labels: Mapping[str, str], gpus: Gpus | None) -> str | None:
    """Return the name of the pool whose labels and GPU model a node has; None if there is none.

    Of several the one with the most labels, then one with the same number of GPUs. A node without a
    known model matches any model.
    """
    from gpuspec.spec import model_of

    if gpus is None:
        return None
    matching_pools = [
        pool
        for pool in pools
        if gpus.model in (None, model_of(pool).name) and pool.labels.items() <= labels.items()
    ]
    best = max(
        matching_pools,
        key=lambda pool: (len(pool.labels), pool.gpu.count == gpus.count),
        default=None,
    )
    return None if best is None else best.name
