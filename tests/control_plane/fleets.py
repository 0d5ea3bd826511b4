"""Random fleets, and pairs of pods that differ in one thing which decides whether they fit.

All is plain data as the API server takes it; what our own filters say chooses the pairs, and the
real scheduler is asked about both of each.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from gpuspec.fleet.nodes.node import FleetNode
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.requests import amount
from gpuspec.fleet.scheduler.shape import Priority, Shape, shape_of
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
from gpuspec.fleet.scheduler.tolerations import Toleration
from gpuspec.fleet.scheduler.verdict import feasible
from gpuspec.spec import Taint
from tests.control_plane import kinds
from tests.control_plane.pods.pieces import TAINTS, Object

HOSTNAME = "kubernetes.io/hostname"
# How often a pair has a third pod.
MORE = 0.5
SPACES = {"team-a": {"team": "a", "kind": "research"}, "team-b": {"team": "b"}}
CLASSES = {
    "low": Priority(10),
    "middle": Priority(100),
    "high": Priority(1000),
    "patient": Priority(1000, preempts=False),
}
# Which claims of every namespace there are, and the volumes that they are bound to.
VOLUMES: dict[str, Object] = {
    "anywhere": {},
    "zone-a": {"metadata": {"labels": {"topology.kubernetes.io/zone": "a"}}},
    "zone-a-or-b": {"metadata": {"labels": {"topology.kubernetes.io/zone": "a__b"}}},
    "old-zone-b": {"metadata": {"labels": {"failure-domain.beta.kubernetes.io/zone": "b"}}},
    **{
        f"rack-{rack}": {
            "spec": {
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {"key": "rack", "operator": "In", "values": [rack]}
                                ]
                            }
                        ]
                    }
                }
            }
        }
        for rack in ("1", "2", "3")
    },
}


class World(NamedTuple):
    """A fleet: nodes and running pods as the API server takes them, and as our filters do."""

    nodes: list[Object]
    pods: list[Object]
    snapshot: Snapshot


class Pair(NamedTuple):
    """Two pods that differ in what one kind of filter reads; the first fits, the other does not."""

    kind: str
    fits: Object
    kept: Object
    more: Object | None
    """Sometimes a third, changed in the same way, whatever comes of it: nothing chose it."""


def world(rng: Random, number: int) -> World:
    """A fleet of some nodes and what runs on them; the last node is plain and as good as empty."""
    count = rng.randint(5, 9)
    nodes = [_node(rng, f"n{number}-{index}") for index in range(count)]
    nodes.append(_last(f"n{number}-last"))
    snapshot = Snapshot([as_node(node) for node in nodes], SPACES)
    pods: list[Object] = []
    for index, node in enumerate(nodes[:-1]):
        for _ in range(rng.choice((0, 1, 2, 3, 4))):
            made = kinds.running(rng, f"r{number}-{len(pods)}")
            shape = shape_in(made)
            if _room(snapshot, index, shape):
                made["spec"]["nodeName"] = node["metadata"]["name"]
                day, second = rng.randint(1, 28), rng.randint(0, 59)
                made["status"] = {"startTime": f"2026-01-{day:02}T00:00:{second:02}Z"}
                pods.append(made)
                snapshot.add(index, placed(made))
    marker = kinds.marker(f"r{number}-last", f"n{number}-last")
    pods.append(marker)
    snapshot.add(len(nodes) - 1, placed(marker))
    return World(nodes, pods, snapshot)


def pair(rng: Random, made: World, kind: str, name: str, tries: int = 120) -> Pair | None:
    """Two pods told apart by one kind; None where chance finds none in this fleet."""
    how = kinds.KINDS[kind]
    names = [node["metadata"]["name"] for node in made.nodes]
    for _ in range(tries):
        base = kinds.pod(rng, name, names)
        if how.first:
            how.first(rng, base, made.nodes)
        found: dict[bool, Object] = {}
        for _ in range(3):
            one = deepcopy(base)
            how.change(rng, one, made.nodes)
            verdict = feasible(shape_in(one), made.snapshot)
            deciding = any(how.decides(refusal) for refusal in verdict.refusals.values())
            if verdict.fits or (deciding or (how.early and verdict.conflict)):
                found[verdict.fits] = one
            if len(found) == 2:
                found[True]["metadata"]["name"] += "-fits"
                found[False]["metadata"]["name"] += "-kept"
                more = deepcopy(base) if rng.random() < MORE else None
                if more:
                    how.change(rng, more, made.nodes)
                return Pair(kind, found[True], found[False], more)
    return None


def shape_in(pod: Object) -> Shape:
    """The shape of a pod of these fleets."""
    meta = pod["metadata"]
    return shape_of(
        pod["spec"],
        labels=meta.get("labels"),
        namespace=meta["namespace"],
        priorities=CLASSES,
        persistent_volumes=VOLUMES,
    )


def placed(pod: Object) -> RunningPod:
    """A running pod as our filters have it."""
    started = pod.get("status", {}).get("startTime", "")
    return RunningPod(pod["metadata"]["name"], shape_in(pod), started=started)


def as_node(written: Object) -> FleetNode:
    """A node as our filters have it."""
    meta, spec = written["metadata"], written["spec"]
    have = written["status"]["allocatable"]
    return FleetNode(
        meta["name"],
        meta["labels"],
        {name: amount(name, value) or 0 for name, value in have.items()},
        tuple(Taint(**taint) for taint in spec["taints"]),
        spec.get("unschedulable", False),
    )


def _room(snapshot: Snapshot, index: int, shape: Shape) -> bool:
    """Whether a node has what a running pod takes; that other filters mind is fine.

    Two pods with one port are not: no kubelet allows them, and the scheduler, which only notes that
    the port is taken, believes it free when one of them goes.
    """
    taken = Shape(shape.requests, tolerations=(Toleration(operator="Exists"),), ports=shape.ports)
    refusal = FilterChain(taken, snapshot).refusal(index)
    return refusal is None or refusal.plugin not in ("NodeResourcesFit", "NodePorts")


def _node(rng: Random, name: str) -> Object:
    labels = {HOSTNAME: name, "size": str(rng.choice((1, 2, 3, 40))), "pool": rng.choice("pq")}
    if rng.random() < 0.85:
        labels["topology.kubernetes.io/zone"] = rng.choice("aabbc")
    if rng.random() < 0.8:
        labels["rack"] = rng.choice("123")
    if rng.random() < 0.3:
        labels["fast"] = rng.choice(("true", ""))
    have: dict[str, Any] = {
        "cpu": rng.choice(("4", "7500m", "8", "16")),
        "memory": rng.choice(("8Gi", "16Gi", "31500Mi", "20G")),
        "ephemeral-storage": rng.choice(("20Gi", "50Gi", "100G")),
        "pods": str(rng.choice((2, 3, 4, 10, 110))),
    }
    if rng.random() < 0.7:
        have["nvidia.com/gpu"] = str(rng.choice((1, 2, 4, 8)))
    if rng.random() < 0.5:
        have["rdma/hca"] = str(rng.choice((1, 8)))
    if rng.random() < 0.5:
        have["hugepages-2Mi"] = rng.choice(("128Mi", "512Mi"))
    taints = [taint for taint in TAINTS if rng.random() < 0.15]
    node = _ready(name, labels, have)
    node["spec"]["taints"] = taints
    if rng.random() < 0.35:
        node["spec"]["unschedulable"] = True
    return node


def _last(name: str) -> Object:
    have = {"cpu": "8", "memory": "16Gi", "ephemeral-storage": "50Gi", "pods": "20"}
    return _ready(name, {HOSTNAME: name, "last": "yes"}, have)


def _ready(name: str, labels: dict[str, str], have: dict[str, Any]) -> Object:
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": []},
        "status": {"capacity": have, "allocatable": have, "conditions": [ready]},
    }
