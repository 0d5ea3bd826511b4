"""The ways for a pod of a random fleet to be kept off nodes, and the pods that are changed so."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from gpuspec.fleet.scheduler.verdict import NodeRejection
from tests.control_plane.pods import company, room, where
from tests.control_plane.pods.pieces import (
    HOSTNAME,
    REQUIRED,
    Change,
    Object,
    ask,
    bare,
    pin,
    small,
)


class Kind(NamedTuple):
    """One way for a pod to be kept off nodes."""

    plugin: str
    change: Change
    reason: str = ""
    early: bool = False
    """Whether a conflict before any node is looked at is of this kind too."""
    first: Change | None = None
    """What both pods of a pair have, for the change to be of any account."""

    def decides(self, refusal: NodeRejection) -> bool:
        """Whether a node's refusal is of this kind."""
        if refusal.plugin != self.plugin:
            return False
        return not self.reason or refusal.reasons == (self.reason,)


def pod(rng: Random, name: str, nodes: list[str]) -> Object:
    """A pod that fits on some of the nodes as likely as not."""
    made = small(rng, name)
    spec = made["spec"]
    if rng.random() < 0.75:
        pin(spec, rng.sample(nodes, rng.randint(1, 3)))
    if rng.random() < 0.8:
        keys = ("nvidia.com/gpu", "team", "broken")
        spec["tolerations"] = [{"key": key, "operator": "Exists"} for key in keys]
    if rng.random() < 0.15:
        where.tolerate_cordons(spec)
    if rng.random() < 0.2:
        company.spread(rng, made, nodes=[])
    if rng.random() < 0.15:
        company.apart(rng, made, nodes=[])
    return made


def running(rng: Random, name: str) -> Object:
    """A pod that runs somewhere, and may keep others away."""
    made = small(rng, name)
    if rng.random() < 0.3:
        company.apart(rng, made, nodes=[])
    if rng.random() < 0.45:
        room.host_ports(rng, made, nodes=[])
    if rng.random() < 0.3:
        ask(made, rng.choice(("nvidia.com/gpu", "rdma/hca")), str(rng.choice((1, 1, 2))))
    return made


def marker(name: str, node: str) -> Object:
    """The pod that is created last: who is to run beside it waits until all is known."""
    made = bare(name, "team-a", {"marker": name})
    made["spec"] |= {"nodeName": node, "priorityClassName": "high"}
    return made


def probe(name: str, beside: str) -> Object:
    """A pod that must run beside a marker."""
    made = bare(name, "team-a", {})
    term = {"labelSelector": {"matchLabels": {"marker": beside}}, "topologyKey": HOSTNAME}
    made["spec"]["affinity"] = {"podAffinity": {REQUIRED: [term]}}
    return made


def _short(name: str) -> str:
    return f"Insufficient {name}"


_FIT = "NodeResourcesFit"
_NEAR = "node(s) didn't match pod anti-affinity rules"
KINDS = {
    "cordoned nodes": Kind("NodeUnschedulable", where.cordons),
    "taints": Kind("TaintToleration", where.taints),
    "node selector": Kind("NodeAffinity", where.selector),
    "node affinity": Kind("NodeAffinity", where.affinity),
    "node name": Kind("NodeAffinity", where.by_name, early=True),
    "host ports": Kind("NodePorts", room.host_ports),
    "pod slots": Kind(_FIT, where.slot, "Too many pods"),
    "CPU": Kind(_FIT, room.asks("cpu", "100m", "2500m", "5", "7500m", "40"), _short("cpu")),
    "memory": Kind(_FIT, room.asks("memory", "64Mi", "5Gi", "12G", "99Gi"), _short("memory")),
    "ephemeral storage": Kind(
        _FIT,
        room.asks("ephemeral-storage", "1Gi", "15Gi", "40Gi", "300Gi"),
        _short("ephemeral-storage"),
    ),
    "GPUs": Kind(_FIT, room.asks("nvidia.com/gpu", "1", "2", "4", "8"), _short("nvidia.com/gpu")),
    "other extended resources": Kind(
        _FIT, room.asks("rdma/hca", "1", "2", "8", "9"), _short("rdma/hca")
    ),
    "huge pages": Kind(
        _FIT, room.asks("hugepages-2Mi", "64Mi", "256Mi", "1Gi"), _short("hugepages-2Mi")
    ),
    "limits as requests": Kind(_FIT, room.limits),
    "init containers": Kind(_FIT, room.init),
    "sidecars": Kind(_FIT, room.sidecar),
    "order of sidecars": Kind(_FIT, room.order, _short("cpu"), first=room.two_before),
    "overhead": Kind(_FIT, room.overhead),
    "resources of the pod": Kind(_FIT, room.whole_pod),
    "huge pages of the pod": Kind(_FIT, room.whole_pages, _short("hugepages-2Mi")),
    "volume's node affinity": Kind(
        "VolumeBinding", where.claims("anywhere", "rack-1", "rack-2", "rack-3")
    ),
    "volume's zone": Kind(
        "VolumeZone", where.claims("anywhere", "zone-a", "zone-a-or-b", "old-zone-b")
    ),
    "topology spread": Kind("PodTopologySpread", company.spread),
    "spread: fewest domains": Kind("PodTopologySpread", company.domains, first=company.even),
    "spread: nodes that count": Kind("PodTopologySpread", company.policies, first=company.even),
    "spread: label keys": Kind("PodTopologySpread", company.spread_keys, first=company.even),
    "pod affinity": Kind(
        "InterPodAffinity", company.near, "node(s) didn't match pod affinity rules"
    ),
    "pod anti-affinity": Kind("InterPodAffinity", company.apart, _NEAR),
    "a term's namespaces": Kind(
        "InterPodAffinity", company.of_term(company.spaces), _NEAR, first=company.one_apart
    ),
    "a term's label keys": Kind(
        "InterPodAffinity", company.of_term(company.alike), _NEAR, first=company.one_apart
    ),
    "anti-affinity of others": Kind(
        "InterPodAffinity",
        company.known_by,
        "node(s) didn't satisfy existing pods anti-affinity rules",
    ),
}
