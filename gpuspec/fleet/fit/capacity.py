"""Slots of each group of nodes for one shape, and the resource that limits them."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import msgspec

from gpuspec.enumeration import counted
from gpuspec.fleet.claims.counting import PREFIX
from gpuspec.fleet.fit.reasons import shut
from gpuspec.fleet.fit.result import GroupCapacity
from gpuspec.fleet.scheduler.makes import within
from gpuspec.fleet.scheduler.measuring import totals
from gpuspec.fleet.scheduler.selectors import HOSTNAME
from gpuspec.fleet.scheduler.terms import NAMESPACE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.fleet.scheduler.makes import Amounts, Make
    from gpuspec.fleet.scheduler.measuring import Measure
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.shape import Shape

PODS = "pods"
CLAIMED = f"{PREFIX}devices"
"""The limiting resource of a node with too few devices for a pod's claims."""


class Empty(msgspec.Struct, frozen=True):
    """An empty node of a kind, with only its DaemonSets, in the units of `Node.allocatable`."""

    group: str
    kind: int
    have: Mapping[str, int]
    gpus: int
    nodes: int


def empties(node_states: NodeStates) -> tuple[Empty, ...]:
    """Return an empty node for each kind of node."""
    nodes = node_states.snapshot.nodes
    return tuple(
        Empty(
            nodes[at].group,
            kind,
            _empty(node_states, at),
            _gpus(node_states, at),
            len(node_states.members[kind]),
        )
        for kind, at in enumerate(node_states.kinds)
    )


def typical(empty_nodes: Iterable[Empty], open_: Mapping[int, Sequence[int]]) -> tuple[Empty, ...]:
    """Return one empty node for each group: of the kinds that accept the shape the most common one,
    with the number of all accepting nodes of the group. If none accepts it, all nodes count."""
    groups: dict[str, list[Empty]] = {}
    for empty in empty_nodes:
        groups.setdefault(empty.group, []).append(empty)
    typical_nodes: list[Empty] = []
    for group in groups.values():
        able = [
            msgspec.structs.replace(empty, nodes=len(open_[empty.kind]))
            for empty in group
            if empty.kind in open_
        ]
        counted = able or group
        most = max(counted, key=lambda empty: empty.nodes)
        typical_nodes.append(
            msgspec.structs.replace(most, nodes=sum(empty.nodes for empty in counted))
        )
    return tuple(typical_nodes)


def slots(have: Mapping[str, int], requests: Mapping[str, int]) -> tuple[int, str]:
    """Return the number of pods that fit, and the resource that limits them: devices before others."""
    bounds = [(have.get(name, 0) // amount, name) for name, amount in requests.items() if amount]
    bounds.append((have.get(PODS, 0), PODS))
    return min(bounds, key=lambda pair: (pair[0], "/" not in pair[1], pair[1]))


def group_capacities(
    shape: Shape,
    node_states: NodeStates,
    empty_nodes: Iterable[Empty],
    open_: Mapping[int, Sequence[int]],
    devices: frozenset[str],
) -> tuple[GroupCapacity, ...]:
    """Return the capacity of each group of nodes; for a group that does not accept the shape, the
    reason.

    `empty_nodes` is one node of each group, see `typical`; `open_` the accepting nodes, see
    `NodeStates.takers`.
    """
    nodes = node_states.snapshot.nodes
    devices_of = node_states.snapshot.devices
    empty = None if devices_of is None or not shape.claims else devices_of.empty()
    single = _single(shape, node_states)
    free: dict[str, int] = {}
    for kind, pods in _free(shape, node_states, open_, bool(single)).items():
        group = nodes[node_states.kinds[kind]].group
        free[group] = free.get(group, 0) + pods
    first: dict[str, int] = {}
    kinds: dict[str, list[int]] = {}
    for kind, at in enumerate(node_states.kinds):
        first.setdefault(nodes[at].group, at)
        kinds.setdefault(nodes[at].group, []).append(kind)
    capacities: list[GroupCapacity] = []
    for empty_node in empty_nodes:
        per_node, bound = slots(empty_node.have, shape.requests)
        per_node, bound = (1, single) if single and per_node > 1 else (per_node, bound)
        if empty is not None and empty_node.group in free:
            # Of nodes of one kind the devices may differ: the first of them counts.
            node = (
                nodes[next(iter(open_[empty_node.kind]))]
                if empty_node.kind in open_
                else nodes[first[empty_node.group]]
            )
            most = empty.sets(node, shape.claims, per_node)
            per_node, bound = (most, CLAIMED) if most < per_node else (per_node, bound)
        reason = (
            None
            if empty_node.group in free
            else _reason(shape, node_states, kinds[empty_node.group])
        )
        remaining = _left(empty_node, per_node, shape.requests, devices)
        now = free.get(empty_node.group, 0)
        capacities.append(
            GroupCapacity(
                empty_node.group,
                empty_node.nodes,
                per_node,
                bound,
                empty_node.gpus,
                now,
                remaining,
                reason,
            )
        )
    return tuple(capacities)


def capacity(shape: Shape, node_states: NodeStates) -> int:
    """Count the pods of a shape that all accepting nodes hold when they are empty: the upper limit."""
    single = bool(_single(shape, node_states))
    every = 0
    for kind, indexes in node_states.takers(shape).items():
        make = node_states.makes[kind]
        holds = _holding(make, shape, single)
        every += len(indexes) * holds(make.nothing) if holds else 0
    return every


def _left(empty: Empty, per_node: int, requests: Mapping[str, int], devices: frozenset[str]) -> int:
    """Return the devices that stay idle on a node full of pods of a shape, of the types that the
    shape requests."""
    names = devices & requests.keys()
    return sum(empty.have.get(name, 0) - per_node * requests[name] for name in names)


def _free(
    shape: Shape, node_states: NodeStates, open_: Mapping[int, Sequence[int]], single: bool
) -> dict[int, int]:
    """Return the number of pods of a shape that fit now, by kind of node."""
    claimed = node_states.snapshot.devices if shape.claims else None
    if not (shape.named or claimed):
        return totals(
            node_states.blocks.makes.values(),
            open_.keys(),
            lambda make: _holding(make, shape, single),
        )
    free_slots: dict[int, int] = {}
    for kind, indexes in open_.items():
        holds = _holding(node_states.makes[kind], shape, single)
        free_slots[kind] = 0
        for at in indexes if holds else ():
            free_pods = holds(node_states.amounts(node_states.state[at])) if holds else 0
            if claimed is not None:
                free_pods = claimed.sets(node_states.snapshot.nodes[at], shape.claims, free_pods)
            free_slots[kind] += free_pods
    return free_slots


def _holding(make: Make, shape: Shape, single: bool) -> Measure | None:
    """Return how many more pods of a shape a node of a make holds, by its use; `single`: at most
    one."""
    if not within(make.limits(shape.requests), make.nothing):
        return None
    requested = [
        (make.at[name], make.have[name], amount)
        for name, amount in ((PODS, 1), *shape.requests.items())
    ]

    def room(used: Amounts) -> int:
        # Asked of every block for every workload.
        least: int | None = None
        for at, have, amount in requested:
            fitting = (have - used[at]) // amount
            if least is None or fitting < least:
                least = fitting
        return max(0, least or 0)

    return (lambda used: min(1, room(used))) if single else room


def _single(shape: Shape, node_states: NodeStates) -> str:
    """Return the field of a shape that limits it to one pod per node; empty if there is none."""
    space = {
        NAMESPACE_NAME: shape.namespace,
        **node_states.snapshot.namespaces.get(shape.namespace, {}),
    }
    for term in shape.apart:
        if term.topology == HOSTNAME and term.met(shape.namespace, space, shape.labels):
            return "podAntiAffinity"
    return "hostPort" if shape.ports else ""


def _reason(shape: Shape, node_states: NodeStates, kinds: Iterable[int]) -> str:
    """Return why nodes of some kinds reject the shape even when they are empty."""
    snapshot = node_states.snapshot
    if shape.claims and snapshot.devices is not None:
        devices = snapshot.devices.empty()
        snapshot = copy(snapshot)
        snapshot.devices = devices
    counts_by_reason: dict[str, int] = {}
    for kind in kinds:
        text = shut(shape, snapshot, node_states.kinds[kind])
        counts_by_reason[text] = counts_by_reason.get(text, 0) + len(node_states.members[kind])
    if len(counts_by_reason) == 1:
        return next(iter(counts_by_reason))
    return "; ".join(
        f"of {counted(count, 'node')}: {text}" for text, count in counts_by_reason.items()
    )


def _empty(node_states: NodeStates, at: int) -> dict[str, int]:
    have = dict(node_states.snapshot.nodes[at].allocatable)
    for placed in node_states.snapshot.pods[at]:
        if placed.daemon:
            for name, amount in ((PODS, 1), *placed.shape.requests.items()):
                have[name] = have.get(name, 0) - amount
    return have


def _gpus(node_states: NodeStates, at: int) -> int:
    gpus = node_states.snapshot.nodes[at].gpus
    return gpus.count if gpus else 0
