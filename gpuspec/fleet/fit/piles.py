"""Group the nodes that reject a pod into piles: nodes of one group with the same obstacles."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gpuspec.fleet.fit.obstacles import OTHER_QUEUE, SPENT, Obstacle, in_order, obstacles, plain
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.judging import alike
from gpuspec.fleet.scheduler.measuring import freest
from gpuspec.fleet.scheduler.requests import PODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.verdict import Verdict

_Key = tuple[str, tuple[Obstacle, ...], tuple[str, ...]]
_Part = tuple["NodeBlock", "Set[int]"]


class QueueNodes(NamedTuple):
    """The nodes to which a queue admits pods."""

    now: frozenset[int]
    """Nodes of the flavor that was tried."""
    able: frozenset[int]
    """Nodes of all flavors with enough quota left."""
    short: frozenset[int]
    """Nodes of the other flavors."""


class Pile(msgspec.Struct):
    """Nodes of one group that reject the pod for the same reasons."""

    group: str
    obstacles: tuple[Obstacle, ...]
    lacks: tuple[str, ...]
    """Resources of which each of its nodes has too little free."""
    nodes: int = 0
    have: dict[str, int] = {}
    """The largest amount of each of these on any of its nodes."""
    free: dict[str, int] = {}
    """The largest free amount of each on any of its nodes; at least 0."""
    nearest: dict[str, tuple[int, int]] = {}
    """The amount on the nearest node, and its free part."""
    lack: float = 0
    """How much the nearest one lacks: the missing part of each requested resource."""

    @property
    def distance(self) -> float:
        """The size of the change after which one of its nodes accepts the pod."""
        return self.lack + sum(obstacle.weight for obstacle in self.obstacles)


def piles(
    verdict: Verdict, node_states: NodeStates, filter_chain: FilterChain, sent: QueueNodes | None
) -> tuple[Pile, ...]:
    """Return all nodes that reject a pod; the node states must be those of the verdict.

    `sent`: the nodes to which its queue admits it; None without a queue.
    """
    if verdict.conflict is not None or verdict.failure is not None or verdict.unjudged is not None:
        return ()
    if filter_chain.alone and sent is None:
        return _by_blocks(node_states, filter_chain)
    return _by_nodes(verdict, node_states, filter_chain, sent)


def _by_nodes(
    verdict: Verdict, node_states: NodeStates, filter_chain: FilterChain, sent: QueueNodes | None
) -> tuple[Pile, ...]:
    """Check each node; nodes in one state are checked once if the state alone decides."""
    shape, snapshot = filter_chain.shape, node_states.snapshot
    if shape.claims:
        # What the scheduler takes from claims that nobody holds, it has given back by now.
        filter_chain = FilterChain(shape, snapshot)
    obstacles_of_state: dict[int, tuple[tuple[Obstacle, ...], tuple[str, ...]]] = {}
    piles_by_key: dict[_Key, Pile] = {}
    for index in verdict.refusals:
        at = node_states.state[index] if filter_chain.alone else -1 - index
        if at not in obstacles_of_state:
            obstacles_of_state[at] = obstacles(filter_chain, index)
        things, lacks = obstacles_of_state[at]
        if sent is not None and index not in sent.able:
            things = (*things, SPENT if index in sent.short else OTHER_QUEUE)
        if not (things or lacks):
            if sent is not None and index not in sent.now:
                continue  # It takes the pod; others of the gang find no room beside it.
            things = tuple(plain(reason) for reason in verdict.refusals[index].reasons)
        key = snapshot.nodes[index].group, things, lacks
        pile = piles_by_key.setdefault(key, Pile(*key))
        have = snapshot.nodes[index].allocatable
        _enter(
            pile,
            shape,
            {name: have.get(name, 0) for name in lacks},
            {name: snapshot.free(index, name) for name in lacks},
        )
    return tuple(piles_by_key.values())


def _enter(pile: Pile, shape: Shape, have: dict[str, int], free: dict[str, int]) -> None:
    """Add one node to a pile."""
    lack = sum(_part(shape, name, free[name], have[name]) for name in pile.lacks)
    if not pile.nodes or lack < pile.lack:
        pile.lack = lack
        pile.nearest = {name: (have[name], free[name]) for name in pile.lacks}
    pile.nodes += 1
    for name in pile.lacks:
        pile.have[name] = max(have[name], pile.have.get(name, 0))
        pile.free[name] = max(free[name], pile.free.get(name, 0))


def _part(shape: Shape, name: str, free: int, have: int) -> float:
    """Return the missing part of a requested resource; more than 1 if the node never has any of it."""
    if free > 0:
        asks = shape.requests[name]
        return (asks - free) / asks
    return 1 if have >= shape.requests.get(name, 1) else 2


def _by_blocks(node_states: NodeStates, filter_chain: FilterChain) -> tuple[Pile, ...]:
    """Return the piles of a pod for which a node's state alone decides: except for free resources,
    nodes of one kind are equal."""
    shape = filter_chain.shape
    names = (PODS, *shape.requests)[::-1]
    still = [obstacles(filter_chain, first, {})[0] for first in node_states.kinds]
    groups = [node_states.snapshot.nodes[first].group for first in node_states.kinds]
    where: dict[_Key, list[_Part]] = {}
    for outer in node_states.blocks.makes.values():
        for flags, block in alike(outer, outer.make.limits(shape.requests)):
            lacks = in_order([name for name, lacking in zip(names, flags, strict=True) if lacking])
            kinds: dict[_Key, set[int]] = {}
            for kind in block.kinds:
                if lacks or still[kind]:
                    kinds.setdefault((groups[kind], still[kind], lacks), set()).add(kind)
            for key, those in kinds.items():
                where.setdefault(key, []).append((block, those))
    block_piles: list[Pile] = []
    for key, parts in where.items():
        pile = Pile(*key)
        pile.nodes = sum(block.kinds[kind] for block, those in parts for kind in those)
        for name in pile.lacks:
            pile.have[name] = max(block.make.have.get(name, 0) for block, _ in parts)
            pile.free[name] = freest(parts, name)
        pile.lack, pile.nearest = _nearest(shape, pile.lacks, parts)
        block_piles.append(pile)
    return tuple(block_piles)


def _nearest(
    shape: Shape, lacks: Sequence[str], parts: Sequence[_Part]
) -> tuple[float, dict[str, tuple[int, int]]]:
    """Return how much the nearest node lacks, what it has, and what is left of it. The lowest use
    of each resource in a block bounds what its nodes lack."""

    def least(block: NodeBlock) -> float:
        make, used = block.make, block.low
        amounts_left = ((name, make.left(name, used), make.have.get(name, 0)) for name in lacks)
        return sum(_part(shape, *amount_left) for amount_left in amounts_left)

    waiting: list[tuple[float, int, NodeBlock, Set[int]]] = []
    number = 0
    remaining: Sequence[_Part] = parts
    while True:
        for block, kinds in remaining:
            if not kinds.isdisjoint(block.kinds):
                heappush(waiting, (least(block), number, block, kinds))
                number += 1
        lack, _, block, kinds = heappop(waiting)
        left_of = {name: block.make.left(name, block.low) for name in lacks}
        if all(block.make.left(name, block.high) == most for name, most in left_of.items()):
            have = block.make.have
            return lack, {name: (have.get(name, 0), most) for name, most in left_of.items()}
        remaining = [(inner, kinds) for inner in block.inside.values()]


def merged(unmerged: Iterable[Pile]) -> tuple[Pile, ...]:
    """Return the piles, with those of one group merged that differ only in a label's value; the
    first one is the nearest."""
    merged_piles: dict[object, Pile] = {}
    for pile in unmerged:
        key = pile.group, tuple(obstacle.text for obstacle in pile.obstacles), pile.lacks
        first = merged_piles.setdefault(key, pile)
        if first is pile:
            continue
        first.nodes += pile.nodes
        first.obstacles = tuple(
            msgspec.structs.replace(
                obstacle, there=tuple(dict.fromkeys((*obstacle.there, *other_obstacle.there)))
            )
            for obstacle, other_obstacle in zip(first.obstacles, pile.obstacles, strict=True)
        )
        for name in pile.lacks:
            first.have[name] = max(first.have[name], pile.have[name])
            first.free[name] = max(first.free[name], pile.free[name])
    return tuple(merged_piles.values())


def reserved(node_states: NodeStates) -> Mapping[str, Mapping[str, int]]:
    """Return, by group, the most that DaemonSets take of any of its nodes: it is not available to
    pending pods."""
    amounts_by_group: dict[str, dict[str, int]] = {}
    for node, pods in zip(node_states.snapshot.nodes, node_states.snapshot.pods, strict=True):
        daemon_amounts: dict[str, int] = {}
        for placed in pods:
            for name, amount in placed.shape.requests.items() if placed.daemon else ():
                daemon_amounts[name] = daemon_amounts.get(name, 0) + amount
        most = amounts_by_group.setdefault(node.group, {})
        for name, amount in daemon_amounts.items():
            most[name] = max(amount, most.get(name, 0))
    return amounts_by_group


def in_all(node_states: NodeStates) -> Mapping[str, int]:
    """Return the number of all nodes, by group."""
    totals: dict[str, int] = {}
    for first, members in zip(node_states.kinds, node_states.members, strict=True):
        group = node_states.snapshot.nodes[first].group
        totals[group] = totals.get(group, 0) + len(members)
    return totals
