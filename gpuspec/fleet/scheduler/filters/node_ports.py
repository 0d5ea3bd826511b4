"""NodePorts: host ports that another pod uses.

The scheduler records which ports are in use, not how often. That matters only if one of two pods
with the same port is removed, and no kubelet admits two such pods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.base import NodeRejection
from gpuspec.fleet.scheduler.ports import HostPort, clash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot

_TAKEN = NodeRejection(
    "NodePorts", ("node(s) didn't have free ports for the requested pod ports",), resolvable=True
)


def prepare(shape: Shape, snapshot: Snapshot) -> NodePorts | None:
    """Return the filter, if the pod has host ports."""
    if not shape.ports:
        return None
    node_ports = NodePorts(shape.ports)
    for index, (node, pods) in enumerate(zip(snapshot.nodes, snapshot.pods, strict=True)):
        for placed in pods:
            node_ports.moved(index, node, placed, 1)
    return node_ports


class NodePorts:
    """Rejects nodes on which a pod has one of the ports."""

    def __init__(self, ports: tuple[HostPort, ...]) -> None:
        self._ports = ports
        self._taken: dict[int, int] = {}

    def check(self, index: int, node: FleetNode, used: Mapping[str, int]) -> NodeRejection | None:
        """See `Filter`."""
        return _TAKEN if self._taken.get(index) else None

    def moved(self, index: int, node: FleetNode, placed: RunningPod, by: int) -> None:
        """See `Filter`."""
        ports = placed.shape.ports
        if ports and clash(self._ports, ports):
            self._taken[index] = self._taken.get(index, 0) + by
