"""The shape of a pod: its requirements on a node, as kube-scheduler reads its spec."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.ports import HostPort, host_ports
from gpuspec.fleet.scheduler.reading import pairs, rows, table, text, whole
from gpuspec.fleet.scheduler.requests import requests_of
from gpuspec.fleet.scheduler.selectors import HOSTNAME
from gpuspec.fleet.scheduler.spreading import Spread, spreads
from gpuspec.fleet.scheduler.terms import (
    NodeTerm,
    PodTerm,
    RequiredNodes,
    WeightedTerm,
    node_affinity,
    pod_terms,
    preferred_nodes,
    preferred_pods,
    reads_name,
)
from gpuspec.fleet.scheduler.tolerations import Toleration, tolerations_of
from gpuspec.fleet.scheduler.volumes import BoundVolume, claims, volume

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.claims.model import Claim

DEFAULT_SCHEDULER = "default-scheduler"


class Priority(msgspec.Struct, frozen=True):
    """A PriorityClass: its value, and whether its pods may preempt others."""

    value: int
    preempts: bool = True


BUILT_IN = {
    "system-cluster-critical": Priority(2_000_000_000),
    "system-node-critical": Priority(2_000_001_000),
}


class Shape(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What one pod asks of a node; the same for all pods of one template.

    Two are equal only if they are the same object: make one for each template, and share it.
    Requests are in the units of `Node.allocatable`, as the scheduler sums containers, init
    containers, sidecars, the pod's own resources and its overhead; no zeros.
    """

    requests: Mapping[str, int]
    namespace: str = "default"
    labels: Mapping[str, str] = {}
    nonzero: tuple[int, int] = (0, 0)
    """CPU and memory as scoring counts them, see `requests_of`."""
    node_name: str = ""
    """The node that the spec names; the scheduler ignores such a pod."""
    affinity: RequiredNodes = RequiredNodes()
    tolerations: tuple[Toleration, ...] = ()
    ports: tuple[HostPort, ...] = ()
    near: tuple[PodTerm, ...] = ()
    """Required pod affinity."""
    apart: tuple[PodTerm, ...] = ()
    """Required pod anti-affinity."""
    spread: tuple[Spread, ...] = ()
    """Topology spread constraints that hold a pod back."""
    volumes: tuple[BoundVolume, ...] = ()
    unknown_claims: tuple[str, ...] = ()
    """Claims with unknown volumes; they exclude no node."""
    claims: tuple[Claim, ...] = ()
    """The resource claims for its devices; its own claims have no name."""
    unknown_devices: str = ""
    """Why its resource claims are not judged; empty if they are, or if it has none."""
    gates: tuple[str, ...] = ()
    """Scheduling gates: the scheduler waits until they are gone."""
    scheduler: str = DEFAULT_SCHEDULER
    priority: int = 0
    preempts: bool = True
    preferred_nodes: tuple[WeightedTerm, ...] = ()
    preferred_near: tuple[WeightedTerm, ...] = ()
    preferred_apart: tuple[WeightedTerm, ...] = ()
    preferred_spread: tuple[Spread, ...] = ()

    @cached_property
    def plain(self) -> bool:
        """Whether a node's state alone decides if it takes this pod.

        That is its labels without its host name, its taints, whether it is unschedulable, what it
        has and what is used of it; not its name, the ports taken there, which devices are free nor
        the pods around it. A pod with anti-affinity may still exclude a plain one: see
        `FilterChain.alone`.
        """
        around = self.near or self.apart or self.spread
        return not (self.named or self.ports or self.claims or around)

    @cached_property
    def named(self) -> bool:
        """Whether it distinguishes nodes by their names."""
        if self.node_name or reads_name(self.affinity):
            return True
        return any(HOSTNAME in volume.reads() for volume in self.volumes)

    @cached_property
    def wishes(self) -> frozenset[str]:
        """The labels of nodes that it only prefers."""
        topologies = {spread.topology for spread in self.preferred_spread}
        for preferred_node in (*self.preferred_nodes, *self.preferred_near, *self.preferred_apart):
            if isinstance(preferred_node.term, NodeTerm):
                topologies |= {condition.key for condition in preferred_node.term.labels.conditions}
            else:
                topologies.add(preferred_node.term.topology)
        return frozenset(topologies)

    @cached_property
    def wishes_names(self) -> bool:
        """Whether it prefers nodes of certain names."""
        terms = [
            preferred_node.term
            for preferred_node in self.preferred_nodes
            if isinstance(preferred_node.term, NodeTerm)
        ]
        return any(
            term.names or any(condition.key == HOSTNAME for condition in term.labels.conditions)
            for term in terms
        )

    @cached_property
    def reads(self) -> frozenset[str]:
        """The labels of nodes that decide whether a node accepts it."""
        keys = self.affinity.reads() | {constraint.topology for constraint in self.spread}
        keys |= {pod_term.topology for pod_term in (*self.near, *self.apart)}
        return frozenset(keys.union(*(volume.reads() for volume in self.volumes)))


def shape_of(
    spec: Mapping[str, Any],
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "default",
    priorities: Mapping[str, Priority] | None = None,
    persistent_volumes: Mapping[str, Mapping[str, Any]] | None = None,
    resource_claims: tuple[Claim, ...] = (),
    unknown_devices: str = "",
) -> Shape:
    """Return the shape of pods with this spec, which may hold anything; never raises.

    What the API server would refuse has no effect, and its defaults are filled in: requests from
    limits, ports of the host's network, tolerations of nodes that are not ready, label keys merged
    into selectors. Limit ranges and webhooks are not known.

        Args:
        spec: a pod's spec.
        labels: the pod's labels.
        namespace: the pod's namespace.
        priorities: PriorityClasses by name; by the empty name the global default.
        persistent_volumes: PersistentVolumes, as the API server has them, by the name of the claim
            of this namespace that each is bound to.
        resource_claims: those that `resourceClaims` come to.
        unknown_devices: why they are not known.
    """
    spec = table(spec)
    labels = pairs(labels)
    requests = requests_of(spec)
    priority = _priority(spec, priorities or {})
    known_volumes, claim_names = persistent_volumes or {}, claims(spec)
    near, apart = "podAffinity", "podAntiAffinity"
    return Shape(
        requests=requests.amounts,
        namespace=namespace,
        labels=labels,
        nonzero=requests.nonzero,
        node_name=text(spec.get("nodeName")),
        affinity=node_affinity(spec),
        tolerations=tolerations_of(spec),
        ports=host_ports(spec),
        near=pod_terms(spec, near, namespace, labels),
        apart=pod_terms(spec, apart, namespace, labels),
        spread=spreads(spec, labels, "DoNotSchedule"),
        volumes=tuple(
            volume(table(known_volumes[name])) for name in claim_names if name in known_volumes
        ),
        unknown_claims=tuple(name for name in claim_names if name not in known_volumes),
        claims=resource_claims,
        unknown_devices=unknown_devices,
        gates=tuple(text(row.get("name")) for row in rows(spec.get("schedulingGates"))),
        scheduler=text(spec.get("schedulerName")) or DEFAULT_SCHEDULER,
        priority=priority.value,
        preempts=priority.preempts,
        preferred_nodes=preferred_nodes(spec),
        preferred_near=preferred_pods(spec, near, namespace, labels),
        preferred_apart=preferred_pods(spec, apart, namespace, labels),
        preferred_spread=spreads(spec, labels, "ScheduleAnyway"),
    )


def _priority(spec: Mapping[str, Any], priorities: Mapping[str, Priority]) -> Priority:
    """Resolve the priority as admission does; an unknown class counts as none."""
    name = text(spec.get("priorityClassName"))
    priority = priorities.get(name) or BUILT_IN.get(name) or Priority(0)
    policy = text(spec.get("preemptionPolicy"))
    return Priority(
        whole(spec.get("priority"), priority.value),
        policy != "Never" if policy else priority.preempts,
    )
