"""Why nodes reject a pod, group by group: the nearest group first, with the change that would
help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import listed
from gpuspec.fleet.fit.amount_text import amount, amount_of, beside, resource, rounded_down
from gpuspec.fleet.fit.fleet_metrics import device_names
from gpuspec.fleet.fit.obstacles import obstacles
from gpuspec.fleet.fit.piles import in_all, merged, piles
from gpuspec.fleet.fit.result import Advice, Reason
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.requests import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec.fleet.fit.obstacles import Obstacle
    from gpuspec.fleet.fit.piles import Pile, QueueNodes
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.verdict import Verdict
    from gpuspec.manifests import Place


def reasons(
    verdict: Verdict,
    node_states: NodeStates,
    filter_chain: FilterChain,
    places: Mapping[str, Place],
    reserved_amounts: Mapping[str, Mapping[str, int]],
    sent: QueueNodes | None = None,
    *,
    hopeless: bool = False,
) -> tuple[Reason, ...]:
    """Return the reasons against nodes, once for nodes that are alike; each is true of every node
    that it counts.

    The nearest group comes first, its nearest nodes before the others. `places` are the fields
    where the pod requests its resources, `reserved_amounts` is the result of `reserved`; for the others see
    `piles`. `hopeless`: whether the pods are more than all nodes hold when they are empty, so that
    waiting does not help.
    """
    groups: dict[str, list[Pile]] = {}
    sorted_piles = merged(sorted(piles(verdict, node_states, filter_chain, sent), key=_rank))
    for pile in sorted(sorted_piles, key=_rank):
        groups.setdefault(pile.group, []).append(pile)
    shape, every, devices = verdict.shape, in_all(node_states), device_names(node_states)
    return tuple(
        Reason(
            group=pile.group,
            nodes=pile.nodes,
            text=_against(shape, pile, devices),
            of=every[pile.group],
            change=_change(shape, pile, places, reserved_amounts.get(pile.group, {}), hopeless),
        )
        for members in groups.values()
        for pile in members
    )


def shut(shape: Shape, snapshot: Snapshot, index: int) -> str:
    """Return the reasons against a node even when it is empty."""
    things, lacks = obstacles(FilterChain(shape, snapshot), index, {})
    have = snapshot.nodes[index].allocatable
    capacities = {name: have.get(name, 0) for name in lacks}
    return _said(things, _lacking(shape, lacks, capacities, capacities, 1))


def _rank(pile: Pile) -> tuple[float, int, str]:
    return pile.distance, -pile.nodes, pile.group


def _against(shape: Shape, pile: Pile, devices: frozenset[str]) -> str:
    lacking_text = _lacking(shape, pile.lacks, pile.have, pile.free, pile.nodes)
    names = sorted(devices & shape.requests.keys() - set(pile.lacks))
    if lacking_text and names and not pile.obstacles:
        asks = shape.requests[names[0]]
        is_ = "is" if asks == 1 else "are"
        lacking_text = f"{amount_of(names[0], asks)} {is_} free, but {lacking_text}"
    return _said(pile.obstacles, lacking_text)


def _said(things: Iterable[Obstacle], lacking: str) -> str:
    return "; ".join([*(obstacle.said for obstacle in things), *([lacking] if lacking else ())])


def _lacking(
    shape: Shape,
    lacks: Iterable[str],
    have: Mapping[str, int],
    free: Mapping[str, int],
    nodes: int,
) -> str:
    """Return a clause such as `it asks for 8 nvidia.com/gpu (at most 7 free) and 184 CPU (at
    most 126 there)`."""
    requested_words: list[str] = []
    most = "at most " if nodes > 1 else ""
    full = False
    for name in lacks:
        if name == PODS:
            full = True
            continue
        asks = shape.requests[name]
        never = asks > have[name]
        wants, has = beside(name, asks, have[name] if never else max(0, free[name]))
        if has == "0":
            availability = "none there" if never else "none free"
        else:
            availability = f"{most}{has} {'there' if never else 'free'}"
        requested_words.append(f"{wants} {resource(name)} ({availability})")
    clauses = [f"it asks for {listed(requested_words)}"] if requested_words else []
    return "; ".join([*clauses, *(["all of their pod slots are taken"] if full else ())])


def _change(
    shape: Shape,
    pile: Pile,
    places: Mapping[str, Place],
    reserved_amounts: Mapping[str, int],
    hopeless: bool,
) -> Advice | None:
    """Return the change after which the nearest of the nodes takes one more pod.

    `reserved_amounts` are what DaemonSets use on any of them.
    """
    if not all(obstacle.change for obstacle in pile.obstacles):
        return None
    where = next((places[name] for name in pile.lacks if name in places), None)
    changes = [
        *(obstacle.change for obstacle in pile.obstacles),
        *_room(shape, pile, reserved_amounts, hopeless),
    ]
    return Advice("; ".join(changes), where) if changes else None


def _room(
    shape: Shape, pile: Pile, reserved_amounts: Mapping[str, int], hopeless: bool
) -> Iterator[str]:
    less: list[str] = []
    wait: list[str] = []
    choice = not pile.obstacles and not hopeless
    node = "the node" if pile.nodes == 1 else "one of them"
    for name in pile.lacks:
        have, remaining = pile.nearest[name]
        asks, most = shape.requests.get(name, 1), have - reserved_amounts.get(name, 0)
        if most <= 0:
            yield f"do not request {resource(name)}"
            choice = False
            continue
        choice = choice and remaining > 0 and most >= asks
        reach = rounded_down(name, remaining) if remaining > 0 else min(most, asks)
        if reach < asks:
            later = rounded_down(name, most) if asks > most and remaining > 0 else reach
            empty = f" ({amount(name, later)} on an empty node)" if later > reach else ""
            less.append(f"{amount_of(name, reach)}{empty}")
        if remaining <= 0:
            wait.append(amount_of(name, reach))
    # Where an empty node of them would have room, to wait is as good.
    whole = [amount_of(name, shape.requests.get(name, 1)) for name in pile.lacks]
    rather = f", or wait until {node} has {listed(whole)} free" if choice and less else ""
    if less:
        yield f"ask for at most {listed(less)}{rather}"
    if wait and (less or not hopeless or pile.obstacles):
        yield f"wait until {node} has {listed(wait)} free"
