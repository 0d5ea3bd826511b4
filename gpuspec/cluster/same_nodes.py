"""Pools that may be parts of the same nodes: for an unevenly partitioned node, each type of part is
a pool."""

from gpuspec.spec import Pool, model_of


def may_share_nodes(pool: Pool, other: Pool) -> bool:
    """Return whether no label distinguishes the nodes of two pools of one model."""
    both = pool.labels.keys() & other.labels.keys()
    return model_of(pool).name == model_of(other).name and all(
        pool.labels[key] == other.labels[key] for key in both
    )
