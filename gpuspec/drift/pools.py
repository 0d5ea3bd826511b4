"""Compare the pools of a profile with the running nodes: by pool, and by node where one differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.drift.marks import lacking
from gpuspec.drift.members import members
from gpuspec.drift.model import Difference, DriftRemark, Trait
from gpuspec.numbers import read_version
from gpuspec.spec import NodeCount
from gpuspec.spec.rules.gpu_operator import stated_driver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gpuspec.cluster.discover.input import Inventory, LiveNode
    from gpuspec.drift.members import NodeMatch
    from gpuspec.spec import Pool, Profile

DRIVER = "nvidia.com/cuda.driver-version.full"
"""The labels in which GPU Feature Discovery reports a node's driver; before 0.16 three labels."""
_PARTS = tuple(f"nvidia.com/cuda.driver.{part}" for part in ("major", "minor", "rev"))
_OLDEST = 3
"""The largest number of minor versions that a kubelet may be behind its API server:
https://kubernetes.io/releases/version-skew-policy"""


def pool_differences(profile: Profile, inventory: Inventory) -> tuple[list[Difference], int]:
    """Return the differences of pools and of the version, and the number of nodes that belong to a
    pool."""
    pools = profile.spec.pools
    fleet = members(inventory, profile)
    differences = [*_versions(profile, inventory.nodes)]
    for index, pool in enumerate(pools):
        node_matches = [member for member in fleet if pool in member.pools]
        place = profile.place(("spec", "pools", index, "name"))
        differences += _pool(
            pool, node_matches, str(place or ""), stated_driver(profile.spec, pool)
        )
    differences += _strays([member for member in fleet if not member.pools])
    return differences, sum(bool(member.pools) for member in fleet)


def _pool(
    pool: Pool, node_matches: Sequence[NodeMatch], where: str, driver: str | None
) -> Iterator[Difference]:
    name = f"pool {pool.name}"
    if not node_matches:
        if _least(pool) != 0:
            stated = "" if pool.nodes is None else f", but the profile says {_nodes(pool)}"
            yield Difference(
                "missing",
                "pool",
                name,
                (DriftRemark("nodes", f"no node belongs to it{stated}"),),
                where=where,
            )
        return
    remarks = [
        *_count(pool, len(node_matches)),
        *_driver([member.node for member in node_matches], driver),
    ]
    # A node of two pools is told of once.
    traits_by_node = {
        member.node.name: member.traits for member in node_matches if member.pools[0] == pool
    }
    remarks += grouped(traits_by_node)
    if remarks:
        yield Difference("different", "pool", name, tuple(remarks), where=where)


def grouped(traits_by_node: Mapping[str, Sequence[Trait]]) -> list[DriftRemark]:
    """Return each fact once, with its nodes, in the order of first occurrence."""
    by: dict[Trait, list[str]] = {}
    for node, traits in traits_by_node.items():
        for trait in traits:
            by.setdefault(trait, []).append(node)
    return [DriftRemark(trait.topic, trait.text, tuple(nodes)) for trait, nodes in by.items()]


def _least(pool: Pool) -> int:
    """Return the smallest number of nodes that the pool states; one by default."""
    if isinstance(pool.nodes, NodeCount):
        return pool.nodes.min
    return 1 if pool.nodes is None else pool.nodes


def _nodes(pool: Pool) -> str:
    if isinstance(pool.nodes, NodeCount):
        return f"{pool.nodes.min} to {pool.nodes.max} nodes"
    return "1 node" if pool.nodes == 1 else f"{pool.nodes} nodes"


def _count(pool: Pool, count: int) -> Iterator[DriftRemark]:
    least, most = _least(pool), pool.most_nodes
    if count < least or (most is not None and count > most):
        have = "1 node" if count == 1 else f"{count} nodes"
        yield DriftRemark("nodes", f"{have}, but the profile says {_nodes(pool)}")


def _driver(nodes: Sequence[LiveNode], stated: str | None) -> Iterator[DriftRemark]:
    """Yield the nodes with another driver than the profile states; if it states none, than most
    nodes have."""
    by: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if version := _version(node):
            by[version].append(node.name)
    if stated is not None:
        for version in sorted(reported for reported in by if not _is_same(reported, stated)):
            text = f"driver {version}, but the profile says {stated}"
            yield DriftRemark("driver", text, tuple(by[version]))
        return
    if len(by) < 2:
        return
    usual = max(by, key=lambda version: (len(by[version]), version))
    for version in sorted(by.keys() - {usual}):
        most = len(by[usual])
        text = f"driver {version}, but {usual} on {most} {'other' if most == 1 else 'others'}"
        yield DriftRemark("driver", text, tuple(by[version]))


def _is_same(version: str, stated: str) -> bool:
    """Return whether two versions are equal, up to the shorter one; old labels have the first parts
    only."""
    return all(
        part == other_part
        for part, other_part in zip(version.split("."), stated.split("."), strict=False)
    )


def _version(node: LiveNode) -> str:
    if label := node.labels.get(DRIVER):
        return label
    parts = [node.labels.get(key, "") for key in _PARTS]
    return ".".join(part for part in parts if part)


def _versions(profile: Profile, nodes: Sequence[LiveNode]) -> Iterator[Difference]:
    """Yield kubelets outside of the version skew of the profile's API server."""
    stated = read_version(profile.spec.kubernetes)[1]
    minors = {node.name: node.minor for node in nodes if node.minor is not None}
    remarks = []
    for minor in sorted(set(minors.values()), reverse=True):
        if minor > stated:
            why = (
                f"the API server is at least as new, but the profile says {profile.spec.kubernetes}"
            )
        elif minor < stated - _OLDEST:
            why = (
                f"an API server of {profile.spec.kubernetes}, as in the profile, supports "
                f"them from 1.{stated - _OLDEST} on"
            )
        else:
            continue
        names = tuple(name for name, its in minors.items() if its == minor)
        remarks.append(DriftRemark("version", f"kubelets of 1.{minor}: {why}", names))
    if remarks:
        where = str(profile.place(("spec", "kubernetes")) or "")
        yield Difference("different", "profile", "kubernetes", tuple(remarks), where=where)


def _strays(strays: Sequence[NodeMatch]) -> Iterator[Difference]:
    traits_by_node = {stray.node.name: (Trait("pool", _stray(stray)),) for stray in strays}
    if traits_by_node:
        yield Difference("unasked", "nodes", "nodes of no pool", tuple(grouped(traits_by_node)))


def _stray(stray: NodeMatch) -> str:
    """Return the accelerators of a stray, and its differences from the nearest pool."""
    counts = Counter(
        {
            name: amount
            for name in stray.node.allocatable
            if hardware.is_gpu_resource(name) and (amount := stray.node.amount(name))
        }
    )
    have = ", ".join(f"{counts[name]} {name}" for name in sorted(counts)) or "no accelerators left"
    if stray.nearest is None:
        return f"{have}; the profile has no pool of its model"
    why = next((trait.text for trait in lacking(stray.node, stray.nearest).values()), "")
    return f"{have}; nearest is pool {stray.nearest.name}" + (f": {why}" if why else "")
