"""Assign running nodes to the pools of a profile."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.cluster.discover.claimed import slices_of
from gpuspec.cluster.discover.faults import has_gpu_labels
from gpuspec.cluster.discover.labels import POOL_KEYS, POOL_WORDS
from gpuspec.drift.devices import expected
from gpuspec.drift.marks import lacking
from gpuspec.drift.traits import other_model, traits
from gpuspec.fleet.nodes import HOSTNAME
from gpuspec.hardware import INSTANCE_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.cluster.discover.input import Inventory, LiveNode
    from gpuspec.drift.claimed import Slices
    from gpuspec.drift.model import Trait
    from gpuspec.spec import Pool, Profile

_WORDS = POOL_WORDS - {"accelerator"}
Together = tuple["Pool", ...]
"""Pools that are parts of the same node."""


class NodeMatch(msgspec.Struct, frozen=True):
    """A node, its pools, and its differences from them. A stray has no pool."""

    node: LiveNode
    pools: Together
    traits: tuple[Trait, ...] = ()
    nearest: Pool | None = None
    """The most similar pool of a stray."""


def members(inventory: Inventory, profile: Profile) -> list[NodeMatch]:
    """Return every node with accelerators, or with signs of them: nodes of pools, and strays."""
    slices_by_node = slices_of(inventory)
    is_told = any(live.get("kind") == "ResourceSlice" for live in inventory.beside)
    node_matches = (
        _member(node, profile, slices_by_node.get(node.name, ()) if is_told else None)
        for node in inventory.nodes
    )
    return [node_match for node_match in node_matches if node_match is not None]


def has_accelerators(node: LiveNode) -> bool:
    """Return whether any field of the node shows accelerators."""
    names = (*node.capacity, *node.allocatable)
    return has_gpu_labels(node) or any(map(hardware.is_gpu_resource, names))


def _member(node: LiveNode, profile: Profile, slices: Slices) -> NodeMatch | None:
    """Return the pools of a node: those whose labels it has, or else the most similar pool."""
    pools = profile.spec.pools
    candidates: list[Together]
    if not (has_accelerators(node) or slices):
        # All of them are gone, or it never had any: only a label that is the pool's alone tells.
        candidates = [(pool,) for pool in pools if _is_told(node, pool)]
        if not candidates:
            return None
    else:
        exact = [pool for pool in pools if _is_exact(node, pool)]
        pairs = [
            pair for pair in combinations(exact, 2) if len({pool.gpu.model for pool in pair}) == 1
        ]
        candidates = [*((pool,) for pool in exact), *pairs]
    if not candidates:
        candidates = [(pool,) for pool in pools if _is_near(node, pool)]
    if not candidates:
        alike = [pool for pool in pools if other_model(node, pool) is False]
        nearest = min(alike, key=lambda pool: len(lacking(node, pool)), default=None)
        return NodeMatch(node, (), nearest=nearest)
    rated = [
        (candidate, traits(node, candidate, profile.spec.topology, slices))
        for candidate in candidates
    ]
    best, node_traits = min(rated, key=lambda pair: _rank(node, *pair))
    return NodeMatch(node, best, tuple(node_traits))


def _is_exact(node: LiveNode, pool: Pool) -> bool:
    """Return whether a node has all labels of the pool, and no sign of other accelerators."""
    if lacking(node, pool):
        return False
    is_other = other_model(node, pool)
    if pool.labels:
        return is_other is not True
    names = expected([pool])
    return is_other is False or (
        is_other is None and {*names} <= {*node.allocatable} and bool(names)
    )


def _is_near(node: LiveNode, pool: Pool) -> bool:
    """Return whether a node belongs to the pool although labels differ: by the pool's own name, or
    else by the GPU model.

    A missing label is weaker evidence against the pool than a label with another value.
    """
    names = [key for key in pool.labels if _names_pool(key)]
    matches = [node.labels[key] == pool.labels[key] for key in names if key in node.labels]
    if matches:
        return all(matches)
    others = [key for key, value in pool.labels.items() if node.labels.get(key, value) != value]
    return other_model(node, pool) is False and len(pool.labels) >= 2 * len(others)


def _names_pool(key: str) -> bool:
    """Return whether a label is the name of the pool, or of its only node."""
    return key in (*POOL_KEYS, HOSTNAME) or key.rpartition("/")[2] in _WORDS


def _is_told(node: LiveNode, pool: Pool) -> bool:
    """Return whether the node has the labels that distinguish the pool from all others."""
    telling = [key for key in pool.labels if _names_pool(key) or key == INSTANCE_TYPE]
    return bool(telling) and all(node.labels.get(key) == pool.labels[key] for key in telling)


def _rank(node: LiveNode, pools: Together, node_traits: Sequence[Trait]) -> tuple[int, ...]:
    """Return a sort key: fewest differences, then most labels, then the larger pool, then a single
    pool."""
    have = [pool.allocatable for pool in pools if pool.allocatable is not None]
    size = sum(host_resources.memory.int_value for host_resources in have)
    labels = max(len(pool.labels) for pool in pools)
    wrong = sum(trait.topic in ("devices", "sharing") for trait in node_traits)
    return (-labels, wrong, len(node_traits), -size, len(pools))
