"""A better shape: one that leaves no GPU idle, or the nearest one that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.fleet.fit.amount_text import amount, resource, rounded_down
from gpuspec.fleet.fit.capacity import capacity, slots
from gpuspec.fleet.fit.result import Advice
from gpuspec.fleet.fit.slices import slice_advice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.fleet.fit.capacity import Empty
    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.fit.result import GroupCapacity
    from gpuspec.fleet.fit.run import DemandOutcome
    from gpuspec.fleet.scheduler.node_states import NodeStates

_HUGE = "hugepages-"


def advice(
    demand: PodDemand,
    outcome: DemandOutcome,
    rooms: Sequence[GroupCapacity],
    empties: Sequence[Empty],
    devices: frozenset[str],
    node_states: NodeStates,
) -> tuple[Advice, ...]:
    """Return what to write instead, the largest change first."""
    advice_lines = list(_share(demand, rooms, empties, devices))
    if len(outcome.nodes) < demand.most and outcome.lack is None:
        advice_lines += _nearest(demand, outcome, rooms, devices, node_states)
        advice_lines += slice_advice(
            demand, frozenset(node_states.takers(demand.shape)), node_states
        )
        advice_lines += _larger(
            demand, [room for room in rooms if room.reason is None], node_states
        )
    return tuple(advice_lines)


def _share(
    demand: PodDemand,
    rooms: Sequence[GroupCapacity],
    empties: Sequence[Empty],
    devices: frozenset[str],
) -> Iterator[Advice]:
    """Yield advice for host resources beyond the share of the pod's devices."""
    requests = demand.shape.requests
    names = sorted(devices & requests.keys())
    if not names:
        return
    name = names[0]
    able = {room.group for room in rooms if room.reason is None}
    # What a node lacks of these, less CPU and memory would not bring there.
    others = [request for request in requests if "/" in request or request.startswith(_HUGE)]
    nodes = [
        empty
        for empty in empties
        if empty.group in able
        and all(empty.have.get(other_shape, 0) >= requests[other_shape] for other_shape in others)
    ]
    places = dict(demand.places)
    for host in requests:
        if host in devices or not nodes:
            continue
        best = {node.group: node.have[name] // requests[name] for node in nodes}
        over = [
            node for node in nodes if node.have.get(host, 0) // requests[host] < best[node.group]
        ]
        if not over:
            continue
        share = rounded_down(
            host, min(node.have.get(host, 0) // best[node.group] for node in nodes)
        )
        if share <= 0:
            continue
        worst = max(
            over,
            key=lambda empty_group: best[empty_group.group] - slots(empty_group.have, requests)[0],
        )
        now = slots(worst.have, requests)[0]
        then = slots(worst.have, {**requests, host: share})[0]
        more = f"{counted(then, 'pod')} a node of {worst.group} instead of {now}"
        if then <= now:
            more = "the share of its devices"
        asks = amount(host, requests[host])
        text = f"ask for {amount(host, share)} {resource(host)} instead of {asks}: {more}"
        yield Advice(text, places.get(host))


def _nearest(
    demand: PodDemand,
    outcome: DemandOutcome,
    rooms: Sequence[GroupCapacity],
    devices: frozenset[str],
    node_states: NodeStates,
) -> Iterator[Advice]:
    """Yield the nearest request that would fit."""
    requests = demand.shape.requests
    places = dict(demand.places)
    able = {room.group for room in rooms if room.reason is None}
    if demand.unit is not None and outcome.fitted:
        find = "fits" if outcome.fitted == 1 else "fit together"
        yield Advice(f"{outcome.fitted} of its {demand.most} pods {find} now")
    nodes = node_states.snapshot.nodes
    kinds = {kind for kind, at in enumerate(node_states.kinds) if nodes[at].group in able}
    for name in sorted(devices & requests.keys()):
        has = (
            node_states.makes[kind].have.get(name, 0)
            for kind in kinds or range(len(node_states.kinds))
        )
        most = max(has, default=0)
        if requests[name] > most > 0:
            parts = -(-requests[name] // most)
            text = (
                f"no node has more than {most} {resource(name)}: split it into at least "
                f"{counted(parts, 'pod')}"
            )
            yield Advice(text, places.get(name))


def _larger(
    demand: PodDemand, rooms: Sequence[GroupCapacity], node_states: NodeStates
) -> Iterator[Advice]:
    """Yield advice for more pods than all nodes hold when empty."""
    holds = capacity(demand.shape, node_states)
    if not 0 < holds < demand.most:
        return
    text = f"all eligible nodes together hold fewer than {counted(demand.most, 'pod')}, even when empty"
    room = rooms[0]
    if len(rooms) == 1 and room.slots == holds:
        need = counted(-(-demand.most // room.each), "node")
        has = "but 1 is eligible" if room.nodes == 1 else f"but {room.nodes} are eligible"
        text = f"its {demand.most} pods need {need} of {room.group}, {has}"
    yield Advice(f"{text}: add nodes, or run at most {counted(holds, 'pod')}")
