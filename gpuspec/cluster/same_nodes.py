"""Pools that may be parts of the same nodes: of a node cut unevenly, each kind of part is a pool."""

from gpuspec.spec import Pool, model_of


def may_share_nodes(pool: Pool, other: Pool) -> bool:
    """Return whether no label tells the nodes of two pools of one model apart."""
    both = pool.labels.keys() & other.labels.keys()
    return model_of(pool).name == model_of(other).name and all(
        pool.labels[key] == other.labels[key] for key in both
    )
