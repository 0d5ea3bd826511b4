"""The nodes of a fleet and the pods on them, at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices, Holder
    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.selectors import Selector
    from gpuspec.fleet.scheduler.shape import Shape


class RunningPod(msgspec.Struct, frozen=True):
    """A pod on a node."""

    name: str
    shape: Shape
    workload: int | None = None
    """The number of its workload among those that are placed; None if it ran before."""
    started: str = ""
    """When it started, as Kubernetes writes a time; empty for now."""
    daemon: bool = False
    """Whether it belongs to a DaemonSet, so that each node always has one."""
    ending: bool = False
    """Whether it is being deleted: it still uses resources, but no longer counts for spreading."""


class Snapshot:
    """Nodes in their order, with their pods and used amounts. Changed in place."""

    def __init__(
        self, nodes: Iterable[FleetNode], namespaces: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        self.nodes = list(nodes)
        self.namespaces = dict(namespaces or {})
        """Labels by namespace, as far as they are known besides the name."""
        self.pods: list[list[RunningPod]] = [[] for _ in self.nodes]
        self.used: list[dict[str, int]] = [{} for _ in self.nodes]
        """By node and resource, in the units of `Node.allocatable`; `pods` among them."""
        self.shapes: dict[Shape, int] = {}
        """The number of running pods of each shape."""
        self.priorities: dict[int, int] = {}
        """The number of running pods of each priority."""
        self.apart: dict[Shape, int] = {}
        """The same, of pods with anti-affinity."""
        self._labelled: dict[tuple[str, str, str], list[Shape]] = {}
        self.devices: ClusterDevices | None = None
        """The devices for claims; None without slices."""

    def copy(self) -> Snapshot:
        """Return a copy of the nodes and pods; changes there do not appear here."""
        snapshot = Snapshot(self.nodes, self.namespaces)
        snapshot.pods = [list(pods) for pods in self.pods]
        snapshot.used = [dict(used) for used in self.used]
        snapshot.shapes, snapshot.apart = dict(self.shapes), dict(self.apart)
        snapshot.priorities = dict(self.priorities)
        snapshot._labelled = {key: list(shapes) for key, shapes in self._labelled.items()}
        snapshot.devices = None if self.devices is None else self.devices.copy()
        return snapshot

    def add(self, node: int, placed: RunningPod) -> None:
        """Record that a pod starts to run on a node."""
        self.pods[node].append(placed)
        self._count(placed.shape, 1)
        used = self.used[node]
        used["pods"] = used.get("pods", 0) + 1
        for name, amount in placed.shape.requests.items():
            used[name] = used.get(name, 0) + amount
        if placed.shape.claims and self.devices is not None:
            self.devices.take(self.nodes[node], _key(placed), placed.shape.claims)

    def remove(self, node: int, placed: RunningPod) -> None:
        """Record that a pod is removed from a node."""
        self.pods[node].remove(placed)
        self._count(placed.shape, -1)
        used = self.used[node]
        used["pods"] -= 1
        for name, amount in placed.shape.requests.items():
            used[name] -= amount
        if self.devices is not None:
            self.devices.release(_key(placed))

    def meant(self, namespace: str, selector: Selector) -> Iterable[Shape]:
        """Return shapes of a namespace that include all that a selector selects."""
        for condition in selector.conditions:
            if condition.operator == "In":
                keys = ((namespace, condition.key, value) for value in condition.values)
                return [shape for key in keys for shape in self._labelled.get(key, ())]
        return self.shapes

    def _count(self, shape: Shape, by: int) -> None:
        if shape not in self.shapes:
            for label in shape.labels.items():
                self._labelled.setdefault((shape.namespace, *label), []).append(shape)
        self.priorities[shape.priority] = self.priorities.get(shape.priority, 0) + by
        for counts in (self.shapes, self.apart) if shape.apart else (self.shapes,):
            counts[shape] = counts.get(shape, 0) + by

    def free(self, node: int, resource: str) -> int:
        """Return the free amount of a resource on a node."""
        allocatable = self.nodes[node].allocatable.get(resource, 0)
        return allocatable - self.used[node].get(resource, 0)


def _key(placed: RunningPod) -> Holder:
    return placed.name, placed.workload
