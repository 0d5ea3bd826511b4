"""One placement of all demands in turn: the nodes of placed pods, and what blocked the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.fit.piles import QueueNodes, reserved
from gpuspec.fleet.scheduler.filters.node_affinity import OTHER
from gpuspec.fleet.scheduler.makes import within
from gpuspec.fleet.scheduler.placing import Placer
from gpuspec.fleet.scheduler.snapshot import RunningPod

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
    from gpuspec.fleet.fit.quota import FitQueue, Lack, Ledger, QueueShare
    from gpuspec.fleet.fit.result import Reason
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.verdict import Verdict

_SOONER = ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
"""The scheduler's plugins that run before those for labels."""
_SERVICES = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


class DemandOutcome(msgspec.Struct):
    """The result for a demand."""

    nodes: list[int] = []
    """The node of each placed pod."""
    lack: Lack | None = None
    """The resource that its queue or its namespace lacks."""
    ahead: tuple[str, ...] = ()
    """The workloads in its queue that come before it."""
    victims: tuple[str, ...] = ()
    """Workloads of lower priority in its queue that it may preempt."""
    not_admitted: bool = False
    """No queue of that name admits from its namespace."""
    verdict: Verdict | None = None
    """The verdict on the first pod that fits on no node, at that moment, if requested."""
    waits: bool = False
    """Whether some pod that fits on no node would fit if the fleet were empty."""
    reasons: tuple[Reason, ...] = ()
    """The verdict in plain words, while its other pods held their nodes."""
    fitted: int = 0
    """Of a gang that was not placed: the pods that fit before one did not."""
    domain: str | None = None
    """The topology domain of its pods."""
    domains: int = 0
    """The number of domains that were tried."""


class PlacementRun:
    """Places demands on the node states, one unit after the other."""

    def __init__(
        self,
        fleet_metrics: FleetMetrics,
        demands: Sequence[PodDemand],
        ledger: Ledger,
        policy: Policy,
        random: Random,
        *,
        with_reasons: bool = True,
    ) -> None:
        """Set up a run. `with_reasons`: whether to collect why pods fit on no node."""
        self.node_states = fleet_metrics.node_states
        self.demands = demands
        self.outcomes = [DemandOutcome(nodes=[]) for _ in demands]
        self.fleet_metrics = fleet_metrics
        self.ledger = ledger
        self._policy = policy
        self._random = random
        self._with_reasons = with_reasons
        self._kept = reserved(self.node_states) if with_reasons else {}

    def units(self) -> Iterator[tuple[int, ...]]:
        """Yield the demands in the order in which they are placed, those of one gang together.

        The highest priority first; of equals in the order in which they were read.
        """
        gangs: dict[int, list[int]] = {}
        order = sorted(range(len(self.demands)), key=lambda at: -self.demands[at].shape.priority)
        for at in order:
            if self.demands[at].unit is not None:
                gangs.setdefault(self.demands[at].unit or 0, []).append(at)
        for at in order:
            demand = self.demands[at]
            if demand.unit is None:
                yield (at,)
            elif gangs[demand.unit][0] == at:
                yield tuple(gangs[demand.unit])

    def place(self, unit: Sequence[int]) -> None:
        """Place the pods of a unit."""
        first = self.demands[unit[0]]
        if any(self.demands[at].unknown or self.demands[at].invalid for at in unit):
            for at in unit:
                if self._with_reasons and self.demands[at].invalid and not self.demands[at].unknown:
                    self._explain(at, self._placer(at, None), None)
            return
        queue = self.ledger.find(first.queue, first.namespace) if first.queue else None
        if queue is not None:
            self._queued(unit, queue)
        elif first.queue and self.ledger.queues:
            self.outcomes[unit[0]].not_admitted = True
        elif first.unit is not None:
            for group in range(first.groups):
                if not self._gang(unit, group, first.groups, None):
                    return
        else:
            self._each(unit[0])

    def _each(self, at: int) -> None:
        """Place as many pods as fit, each of which is useful alone."""
        demand, outcome = self.demands[at], self.outcomes[at]
        placer = self._placer(at, None)
        for number in range(demand.most):
            outcome.lack = self.ledger.short(demand.namespace, demand.shape.requests)
            if outcome.lack is not None:
                return
            node = placer.place(self._pod(at, number))
            if node is None:
                outcome.waits = self._fits_empty(demand.shape)
                if self._with_reasons:
                    self._explain(at, placer, None)
                return
            self.ledger.spend(demand.namespace, demand.shape.requests)
            outcome.nodes.append(node)

    def _queued(self, unit: Sequence[int], queue: FitQueue) -> None:
        """Let a queue admit all pods to one group of nodes, or none."""
        requests: dict[str, int] = {}
        for at in unit:
            for name, amount in self.demands[at].shape.requests.items():
                requests[name] = requests.get(name, 0) + amount * self.demands[at].most
        outcome, nodes = self.outcomes[unit[0]], self.node_states.snapshot.nodes
        first = self.demands[unit[0]]
        queue_priority = first.queue_priority
        priority = first.shape.priority if queue_priority is None else queue_priority
        outcome.ahead = self.ledger.ahead(queue, priority)
        able: list[tuple[QueueShare, list[int]]] = []
        short: list[int] = []
        for share in queue.shares:
            lack = self.ledger.lack(queue, share, requests)
            among = [at for at, node in enumerate(nodes) if share.means(node)]
            if lack is None:
                able.append((share, among))
            else:
                outcome.lack = outcome.lack or lack
                outcome.victims = outcome.victims or self.ledger.victims(
                    queue, share, requests, priority
                )
                short += among
        every = frozenset(at for _, among in able for at in among)
        for share, among in able:
            if self._gang(unit, 0, 1, among, QueueNodes(frozenset(among), every, frozenset(short))):
                self.ledger.admit(queue, share, requests)
                outcome.lack = outcome.verdict = None
                outcome.reasons, outcome.waits, outcome.victims = (), False, ()
                return
        self.ledger.wait(queue, first.name, first.namespace, priority)

    def _gang(
        self,
        unit: Sequence[int],
        group: int,
        groups: int,
        among: list[int] | None,
        sent: QueueNodes | None = None,
    ) -> bool:
        """Return all pods of one gang, or none; within one domain if it requires that.

        `sent`: the nodes that its queue admits it to.
        """
        lack = self._short(unit, group, groups)
        if lack is not None:
            self.outcomes[unit[0]].lack = lack
            return False
        near = self.demands[unit[0]].near
        if near is None:
            return self._whole(unit, group, groups, among, sent)
        everywhere = range(len(self.node_states.snapshot.nodes)) if among is None else among
        domains: dict[str, list[int]] = {}
        for at in everywhere:
            value = self.node_states.snapshot.nodes[at].labels.get(near.label)
            if value is not None:
                domains.setdefault(value, []).append(at)
        outcome = self.outcomes[unit[0]]
        # The place with the least room that is enough, so that larger ones stay free.
        for value, nodes in sorted(domains.items(), key=lambda pair: self._idle(pair[1])):
            outcome.domains += 1
            if self._whole(unit, group, groups, nodes, sent):
                outcome.domain = value
                outcome.domains = 0
                return True
        if near.required and domains:
            return False
        return self._whole(unit, group, groups, among, sent)

    def _idle(self, nodes: Sequence[int]) -> int:
        return sum(self.fleet_metrics.state(self.node_states.state[at]).total for at in nodes)

    def _whole(
        self,
        unit: Sequence[int],
        group: int,
        groups: int,
        among: list[int] | None,
        sent: QueueNodes | None,
    ) -> bool:
        done: list[tuple[int, int, RunningPod]] = []
        for at in unit:
            demand = self.demands[at]
            placer = self._placer(at, among)
            for number in _members(demand, group, groups):
                placed = self._pod(at, number)
                node = placer.place(placed)
                if node is None:
                    fitted = sum(1 for owner, _, _ in done if owner == at)
                    self.outcomes[at].waits = self._fits_empty(demand.shape)
                    last = self.outcomes[at].verdict
                    if self._with_reasons and (last is None or fitted > self.outcomes[at].fitted):
                        self._explain(at, placer, sent)
                        self.outcomes[at].fitted = fitted
                    for _, where, other_shape in reversed(done):
                        self.node_states.remove(where, other_shape)
                    return False
                done.append((at, node, placed))
        for at, node, placed in done:
            self.outcomes[at].nodes.append(node)
            self.ledger.spend(placed.shape.namespace, placed.shape.requests)
        return True

    def _short(self, unit: Sequence[int], group: int, groups: int) -> Lack | None:
        """Return the resource that the quota of its namespace lacks for all pods of one gang."""
        requests: dict[str, int] = {}
        pods = 0
        for at in unit:
            member_count = len(_members(self.demands[at], group, groups))
            pods += member_count
            for name, amount in self.demands[at].shape.requests.items():
                requests[name] = requests.get(name, 0) + amount * member_count
        return self.ledger.short(self.demands[unit[0]].namespace, requests, pods)

    def _placer(self, at: int, among: list[int] | None) -> Placer:
        demand = self.demands[at]
        return Placer(
            self.node_states,
            demand.shape,
            self._policy,
            self._random,
            service=demand.kind in _SERVICES,
            among=among,
            growth=self.fleet_metrics.growth if self._policy == "fgd" else None,
        )

    def _fits_empty(self, shape: Shape) -> bool:
        """Return whether a pod of a shape fits on any node when the node is empty."""
        makes = {self.node_states.makes[kind] for kind in self.node_states.takers(shape)}
        return any(within(make.limits(shape.requests), make.nothing) for make in makes)

    def _pod(self, at: int, number: int) -> RunningPod:
        demand = self.demands[at]
        return RunningPod(f"{demand.namespace}/{demand.name}-{number}", demand.shape, at)

    def _explain(self, at: int, placer: Placer, sent: QueueNodes | None) -> None:
        """Record why a pod fits on no node, with the current node states."""
        from gpuspec.fleet.fit.capacity import capacity
        from gpuspec.fleet.fit.reasons import reasons
        from gpuspec.fleet.scheduler.judging import judged

        outcome, places = self.outcomes[at], dict(self.demands[at].places)
        outcome.verdict = _within(
            None if sent is None else sent.now, judged(self.node_states, placer.filter_chain)
        )
        outcome.reasons = reasons(
            outcome.verdict,
            self.node_states,
            placer.filter_chain,
            places,
            self._kept,
            sent,
            hopeless=0 < capacity(self.demands[at].shape, self.node_states) < self.demands[at].most,
        )


def _within(flavor: frozenset[int] | None, verdict: Verdict) -> Verdict:
    """Return the verdict on pods to which their queue adds the labels of a flavor."""
    if flavor is None or verdict.conflict is not None:
        return verdict
    refusals = {
        at: verdict.refusals[at]
        if at in flavor or verdict.refusals[at].plugin in _SOONER
        else OTHER
        for at in verdict.refusals
    }
    refusals |= dict.fromkeys((at for at in verdict.nodes if at not in flavor), OTHER)
    taking = tuple(at for at in verdict.nodes if at in flavor)
    ordered = {at: refusals[at] for at in sorted(refusals)}
    return msgspec.structs.replace(verdict, nodes=taking, refusals=ordered, known=None)


def _members(pod_demand: PodDemand, group: int, groups: int) -> range:
    """Return the number of a demand's pods in one gang."""
    members_per_group = -(-pod_demand.most // groups)
    return range(group * members_per_group, min(pod_demand.most, (group + 1) * members_per_group))
