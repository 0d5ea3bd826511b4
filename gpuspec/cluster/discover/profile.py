"""Turn groups of nodes into the pools of a profile, with remarks for the user to check."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, cast

import msgspec

from gpuspec import hardware
from gpuspec.cluster.discover.labels import capacity, lasting_taints
from gpuspec.cluster.discover.names import pool_names
from gpuspec.cluster.discover.nearness import domain, levels
from gpuspec.cluster.discover.notes import node_count
from gpuspec.cluster.discover.pools import SIZES
from gpuspec.manifests import Quantity
from gpuspec.spec import Duration, HostResources, Pool, PoolGpu, ReservedResources, Taint
from gpuspec.spec.claiming import Dra
from gpuspec.spec.pool_models import TPU, TPU_TOPOLOGY
from gpuspec.spec.pools import REGION_LABEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from gpuspec.cluster.discover.pools import NodeGroup
    from gpuspec.cluster.discover.reserved import ReservedAmounts
    from gpuspec.spec import Rdma

MIB, GIB = 1 << 20, 1 << 30
# From here on a Gi is less than half a percent.
WHOLE_GIB_FROM = 256 * GIB
# Steps that figures are rounded to: down what there is, up what is taken.
HAVE_STEP = {"cpu": 10, "memory": MIB, "disk": MIB}
TAKEN_STEP = {"cpu": 100, "memory": 64 * MIB, "disk": GIB}
# EC2 gives two minutes; the others half a minute, which is the profile's default.
EC2_NOTICE = Duration(120)
NOTICE = Duration(30)
# Below this a difference between nodes is not worth a comment, in percent.
SILENT_SPREAD = 0.1


class DiscoveredPool(msgspec.Struct, frozen=True):
    """A pool, its nodes, and comments by the name of the field below them."""

    pool: Pool
    comments: dict[str, tuple[str, ...]]
    nodes: tuple[str, ...]


def make_pools(
    groups: Sequence[NodeGroup], daemon_requests: Mapping[str, ReservedAmounts] | None
) -> list[DiscoveredPool]:
    """Return the pools by name. `daemon_requests`: requests of DaemonSet pods by node; None if not
    measured."""
    named_groups = zip(pool_names(groups), groups, strict=True)
    discovered_pools = [_make(name, group, daemon_requests) for name, group in named_groups]
    return sorted(discovered_pools, key=lambda discovered_pool: discovered_pool.pool.name)


def _make(
    name: str, group: NodeGroup, daemon_requests: Mapping[str, ReservedAmounts] | None
) -> DiscoveredPool:
    first = group.first
    node, part = first.node, first.part
    comments: dict[str, tuple[str, ...]] = {"gpu": _gpu_remarks(group)}
    have = _allocatable(group, comments)
    spot = capacity(node) == "spot"
    ec2 = node.provider_id.startswith("aws://")
    rdma = _rdma(group, comments)
    topology, nodes = _slices(group, comments)
    pool = Pool(
        name=name,
        gpu=PoolGpu(
            model=part.model.name,
            count=group.gpus,
            resource=part.resource,
            topology=topology,
            partition=part.partition,
            hugepages=Quantity.of_bytes(group.hugepages) if group.hugepages else None,
            dra=Dra(by="claim") if part.claimed else None,
        ),
        allocatable=have,
        reserved=_reserved(group, have, daemon_requests, comments),
        labels=first.labels,
        taints=tuple(_taint(*taint) for taint in lasting_taints(node)),
        zones=group.zones,
        region=_region(group, comments),
        architecture=cast("Literal['amd64', 'arm64']", node.architecture),
        capacity=capacity(node),
        notice=EC2_NOTICE if spot and ec2 else NOTICE,
        sharing=part.sharing,
        rdma=rdma,
        nodes=nodes,
    )
    return DiscoveredPool(pool, comments, tuple(member.node.name for member in group.members))


def _region(group: NodeGroup, comments: dict[str, tuple[str, ...]]) -> str | None:
    """Return the region of the nodes; None if there are several, or none is stated."""
    regions = sorted({label for m in group.members if (label := m.node.labels.get(REGION_LABEL))})
    if len(regions) > 1:
        remark = f"in several regions: {', '.join(regions)}"
        comments["nodes"] = (*comments.get("nodes", ()), remark)
    return regions[0] if len(regions) == 1 else None


def _slices(group: NodeGroup, comments: dict[str, tuple[str, ...]]) -> tuple[str | None, int]:
    """Return the topology of TPU slices, and the number of nodes in complete slices."""
    nodes, part = len(group.members), group.first.part
    topology = group.first.node.labels.get(TPU_TOPOLOGY) if part.model.vendor == TPU else None
    chips = hardware.chips_of(topology) if topology else None
    if chips is None or chips % part.count:
        return None, nodes
    hosts = chips // part.count
    whole = -(-nodes // hosts) * hosts
    if whole != nodes:
        remark = f"a slice {topology} has {hosts} hosts: {nodes} of {whole} nodes are there"
        comments["nodes"] = (*comments.get("nodes", ()), remark)
    return topology, whole


def _rdma(group: NodeGroup, comments: dict[str, tuple[str, ...]]) -> Rdma | None:
    """Return the fabric with its domain, which differs within a pool; levels are for a topology."""
    nodes = [member.node for member in group.members]
    near, level_keys = domain(nodes), levels(nodes)
    if len(level_keys) > 1 or level_keys not in ((), (near,)):
        comments["nodes"] = (
            f"labels that say how near they are, the widest first: {', '.join(level_keys)}",
        )
    rdma = group.first.rdma
    if rdma is None:
        return None
    unseen = "nodes do not show the memlock limit: unlimited is assumed"
    comments["rdma"] = (*group.first.rdma_remarks, unseen)
    return msgspec.structs.replace(rdma, domain=near)


def _taint(key: str, value: str, effect: str) -> Taint:
    return Taint(key=key, value=value, effect=cast("Literal['NoSchedule']", effect))


def _gpu_remarks(group: NodeGroup) -> tuple[str, ...]:
    remarks = group.remarks
    part = group.first.part
    if group.gpus < part.count:
        remarks += (f"of {part.count} GPUs, no node has more working ones",)
    if part.beside:
        remarks += (
            f"these nodes hand out {part.beside} more GPUs in another way, as a pool of their own: "
            "each pool has its part of CPU, memory and disk",
        )
    return remarks


def _allocatable(group: NodeGroup, comments: dict[str, tuple[str, ...]]) -> HostResources | None:
    cpu, memory, disk = (_down(group.least(size), size) for size in SIZES)
    if not cpu or not memory:
        comments["gpu"] += ("its nodes do not show their allocatable CPU and memory",)
        return None
    spread = [
        f"{size} by {percent:.1f} %"
        for size in SIZES
        if (percent := group.spread(size)) >= SILENT_SPREAD
    ]
    if spread:
        comments["allocatable"] = (
            f"the least of {len(group.members)} nodes, which differ in {', '.join(spread)}",
        )
    return HostResources(
        cpu=_quantity(cpu, "cpu"),
        memory=_quantity(memory, "memory"),
        ephemeral_storage=_quantity(disk, "disk") if disk else None,
        pods=group.least("pods"),
    )


def _reserved(
    group: NodeGroup,
    have: HostResources | None,
    daemon_requests: Mapping[str, ReservedAmounts] | None,
    comments: dict[str, tuple[str, ...]],
) -> ReservedResources:
    default = ReservedResources()
    if have is None:
        return default
    room = (have.cpu, have.memory, have.ephemeral_storage)
    measured = _most_taken(group, daemon_requests or {})
    if daemon_requests and not measured:
        unseen = "no DaemonSet pod was listed on these nodes: what they reserve is not measured"
        comments["allocatable"] = (*comments.get("allocatable", ()), unseen)
    if measured is None:
        usual = (default.cpu, default.memory, default.ephemeral_storage)
        # Small nodes: the default must leave something.
        fitting = [
            u if r is None or u < r else _quantity(_down(_units(r, s) // 10, s), s)
            for u, r, s in zip(usual, room, SIZES, strict=True)
        ]
        if fitting != list(usual):
            comments["reserved"] = ("not measured: a tenth where the default would leave nothing",)
        return ReservedResources(cpu=fitting[0], memory=fitting[1], ephemeral_storage=fitting[2])
    up = [
        -(-amount // TAKEN_STEP[size]) * TAKEN_STEP[size]
        for amount, size in zip(measured, SIZES, strict=True)
    ]
    # What is rounded up must leave something, as what is there is said to the same step.
    least = [
        u if r is None else min(u, _units(r, s) - HAVE_STEP[s])
        for u, r, s in zip(up, room, SIZES, strict=True)
    ]
    cpu, memory, disk = (_quantity(n, s) for n, s in zip(least, SIZES, strict=True))
    comments["reserved"] = (
        f"requests of DaemonSet and static pods, the most on any of {node_count(len(group.members))}",
    )
    return ReservedResources(cpu=cpu, memory=memory, ephemeral_storage=disk)


def _most_taken(
    group: NodeGroup, daemon_requests: Mapping[str, ReservedAmounts]
) -> tuple[int, int, int] | None:
    """Return the largest amount of each resource on any node; None if the input has no pod on these
    nodes."""
    shares = [
        tuple(-(-amount * m.part.gpus // (m.part.gpus + m.part.beside)) for amount in amounts)
        for m in group.members
        if (amounts := daemon_requests.get(m.node.name))
    ]
    if not shares:
        return None
    cpu, memory, disk = (max(column) for column in zip(*shares, strict=True))
    return cpu, memory, disk


def _down(amount: int, size: str) -> int:
    """Round down to a readable amount: hundredths of a core, Mi, or Gi if nothing is lost."""
    step = GIB if size != "cpu" and amount >= WHOLE_GIB_FROM else HAVE_STEP[size]
    return amount // step * step


def _quantity(amount: int, size: str) -> Quantity:
    return Quantity(Fraction(amount, 1000)) if size == "cpu" else Quantity.of_bytes(amount)


def _units(quantity: Quantity, size: str) -> int:
    return quantity.milli_value if size == "cpu" else quantity.int_value
