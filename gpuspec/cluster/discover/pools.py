"""Group similar nodes into pools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import hardware
from gpuspec.cluster.discover.fabric import fabric
from gpuspec.cluster.discover.labels import capacity, lasting_taints, telling_labels, zone

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.cluster.discover.node_gpus import NodeGpus
    from gpuspec.spec import Rdma

# Nodes of one kind differ a little, by kernel and kubelet reservations: percent.
TOLERANCE = 2
SIZES = ("cpu", "memory", "disk")
HUGEPAGES = "hugepages-2Mi"
DEFAULT_PODS = 110


class GroupMember(msgspec.Struct, frozen=True):
    """One node's part in a pool: thousandths of a core, bytes of memory and disk, pod slots.

    If a node is in two pools, each has a part in proportion to its GPUs.
    """

    node: LiveNode
    part: NodeGpus
    labels: dict[str, str]
    rdma: Rdma | None
    rdma_remarks: tuple[str, ...]
    cpu: int
    memory: int
    disk: int
    pods: int


class NodeGroup(msgspec.Struct, frozen=True):
    """Similar nodes, in the order of their names. `members` are those whose GPUs all work, if there
    are any."""

    members: tuple[GroupMember, ...]

    @property
    def first(self) -> GroupMember:
        """The first node, for the properties that all share."""
        return self.members[0]

    @property
    def gpus(self) -> int:
        """Allocatable GPUs of each node; a shared GPU counts while any share of it is allocatable.

        For a partition: the devices of each GPU with all of its devices.
        """
        parts = self.first.part.parts
        return max(parts, min(member.part.usable for member in self.members) // parts * parts)

    @property
    def zones(self) -> tuple[str, ...]:
        """Zones of the nodes, sorted."""
        return tuple(sorted({z for member in self.members if (z := zone(member.node))}))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the GPUs for the user to check, sorted."""
        return tuple(sorted({remark for m in self.members for remark in m.part.remarks}))

    def least(self, size: str) -> int:
        """Return the smallest amount of `cpu`, `memory`, `disk` or `pods` among the nodes."""
        smallest: int = min(getattr(member, size) for member in self.members)
        return smallest

    @property
    def hugepages(self) -> int:
        """Bytes of the huge pages that every node has for the driver of its devices."""
        if hardware.pod_needs(self.first.part.model.vendor).hugepages is None:
            return 0
        return min(member.node.amount(HUGEPAGES) or 0 for member in self.members)

    def spread(self, size: str) -> float:
        """Return by how many percent the largest amount exceeds the smallest."""
        most, least = max(getattr(m, size) for m in self.members), self.least(size)
        return (most - least) * 100 / least if least else 0.0


def member(node: LiveNode, part: NodeGpus) -> GroupMember:
    """Return a node's part in the pool of one of its GPU groups."""
    of = part.gpus + part.beside
    rdma, remarks = fabric(node)
    cpu, memory = node.milli("cpu") or 0, node.amount("memory") or 0
    disk, pods = node.amount("ephemeral-storage") or 0, node.amount("pods") or DEFAULT_PODS
    return GroupMember(
        node=node,
        part=part,
        labels=telling_labels(node, part.model, part.sharing),
        rdma=rdma,
        rdma_remarks=remarks,
        cpu=cpu * part.gpus // of,
        memory=memory * part.gpus // of,
        disk=disk * part.gpus // of,
        pods=max(1, pods * part.gpus // of),
    )


def group(members: Iterable[GroupMember]) -> list[NodeGroup]:
    """Return pools of nodes that are equal in all relevant properties and similar in size.

    The order of the members does not matter.
    """
    alike: dict[Any, list[GroupMember]] = defaultdict(list)
    for group_member in members:
        alike[_key(group_member)].append(group_member)
    node_groups: list[NodeGroup] = []
    for same in alike.values():
        for near in _near(same, SIZES):
            whole = [m for m in near if m.part.usable == m.part.count]
            # Nodes that lack a GPU must not lower what the others are said to have.
            group_members = sorted(whole or near, key=lambda m: m.node.name)
            node_groups.append(NodeGroup(tuple(group_members)))
    # Larger nodes first, so that the order stays when nodes come and go.
    return sorted(
        node_groups, key=lambda g: (*(-g.least(size) for size in SIZES), g.first.node.name)
    )


def _near(members: list[GroupMember], sizes: tuple[str, ...]) -> list[list[GroupMember]]:
    """Split nodes by size: a group ends where a size exceeds the group's smallest by more than the
    tolerance."""
    if not sizes:
        return [members]
    size, *rest = sizes
    clusters: list[list[GroupMember]] = []
    for group_member in sorted(members, key=attrgetter(size)):
        value = getattr(group_member, size)
        least = getattr(clusters[-1][0], size) if clusters else 0
        if clusters and value * 100 <= least * (100 + TOLERANCE):
            clusters[-1].append(group_member)
        else:
            clusters.append([group_member])
    return [part for cluster in clusters for part in _near(cluster, tuple(rest))]


def _key(of: GroupMember) -> tuple[object, ...]:
    part, sharing, rdma = of.part, of.part.sharing, of.rdma
    return (
        part.model.name,
        part.count,
        part.resource,
        part.claimed,
        part.beside,
        part.partition,
        sharing and (sharing.mode, sharing.strategy, sharing.replicas, sharing.rename),
        sharing and sharing.gpus,
        sharing and tuple(sharing.profiles.items()),
        of.node.architecture,
        capacity(of.node),
        lasting_taints(of.node),
        tuple(of.labels.items()),
        rdma and (rdma.resource, rdma.count, rdma.per_gpu, rdma.hugepages),
        rdma and (tuple(rdma.resources), tuple(rdma.env.items())),
    )
