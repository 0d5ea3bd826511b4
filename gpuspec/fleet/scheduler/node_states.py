"""Nodes of equal state, so that a result for one holds for all."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

from gpuspec.fleet.nodes.node import HOSTNAME
from gpuspec.fleet.scheduler.blocks import NodeBlocks
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.makes import Make
from gpuspec.fleet.scheduler.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.blocks import NodeBlock
    from gpuspec.fleet.scheduler.makes import Amounts
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod
    from gpuspec.fleet.scheduler.worth import Worth

_ROOM = {"NodeResourcesFit", "InterPodAffinity"}
"""The plugins that reject a node for its free resources, or for its pods."""


class NodeStates:
    """The states of a snapshot's nodes. Pods are added and removed through it.

        Two nodes are of one kind when they differ in name alone, and in one state when they are of one
    kind and as much is used of each.
    """

    def __init__(self, snapshot: Snapshot, reads: Collection[str] | None = None) -> None:
        """Take in `reads` the labels that anything here reads, except the host's name; None for
        all."""
        self.snapshot = snapshot
        self.kinds: list[int] = []
        """The first node of each kind."""
        self.members: list[list[int]] = []
        """All nodes of each kind."""
        self.kind: list[int] = []
        """The kind of each node."""
        self.state: list[int] = []
        """The state of each node."""
        self.makes: list[Make] = []
        """The make of each kind."""
        self._states: list[tuple[int, Mapping[str, int], Amounts]] = []
        self._known: dict[tuple[int, frozenset[tuple[str, int]]], int] = {}
        self._after: dict[tuple[int, Shape, int], int] = {}
        numbers: dict[object, int] = {}
        makes: dict[object, Make] = {}
        for index, node in enumerate(snapshot.nodes):
            key = _key(node, reads)
            if key not in numbers:
                numbers[key] = len(self.kinds)
                self.kinds.append(index)
                self.members.append([])
                have = frozenset(node.allocatable.items())
                self.makes.append(makes.get(have) or makes.setdefault(have, Make(node.allocatable)))
            self.members[numbers[key]].append(index)
            self.kind.append(numbers[key])
            self.state.append(self._state(numbers[key], snapshot.used[index]))
        self.counts = Counter(self.state)
        """Nodes by state; of states that no node is in, 0."""
        self.moves: list[tuple[int, int]] = []
        """The states that nodes have passed from and to, in their order."""
        self._takers: dict[object, dict[int, list[int]]] = {}
        self._ceilings: dict[tuple[Shape, Policy], list[tuple[int, Make]]] = {}
        self._domains: dict[tuple[str, ...], dict[tuple[str | None, ...], set[int]]] = {}
        self._hosts: dict[str, list[int]] = {}
        self._blocks: NodeBlocks | None = None

    def copy(self) -> NodeStates:
        """Return a copy of the nodes and pods; changes there do not appear here.

        Both share the cached results of states and kinds.
        """
        states = copy(self)
        states.snapshot = self.snapshot.copy()
        states.state = list(self.state)
        states.counts = Counter(self.counts)
        states.moves = []
        states._blocks = None
        return states

    @property
    def blocks(self) -> NodeBlocks:
        """Its nodes in blocks of near states."""
        if self._blocks is None:
            self._blocks = NodeBlocks()
            alike: dict[int, list[int]] = {}
            for node, state in enumerate(self.state):
                alike.setdefault(state, []).append(node)
            for state, nodes in alike.items():
                self._enter(nodes, state)
        return self._blocks

    def takers(self, shape: Shape) -> Mapping[int, Sequence[int]]:
        """Return, by kind, the nodes that take pods of a shape, apart from free resources and
        other pods; kinds without nodes are left out."""
        wide = shape.named or shape.volumes or shape.spread
        key = shape if wide else (shape.affinity, shape.tolerations, shape.claims)
        takers = self._takers.get(key)
        if takers is None:
            takers = self._takers[key] = self._taking(shape)
        return takers

    def hosts(self, names: Collection[str]) -> list[int]:
        """Return the nodes with these host names, in their order."""
        if not self._hosts:
            for at, node in enumerate(self.snapshot.nodes):
                self._hosts.setdefault(node.labels.get(HOSTNAME, ""), []).append(at)
        return sorted(at for name in names for at in self._hosts.get(name, ()))

    def domains(self, labels: tuple[str, ...]) -> Mapping[tuple[str | None, ...], set[int]]:
        """Return the kinds of nodes by what these labels say, none of which is the host's name."""
        domain = self._domains.get(labels)
        if domain is None:
            domain = self._domains[labels] = {}
            for kind, first in enumerate(self.kinds):
                node_labels = self.snapshot.nodes[first].labels
                domain.setdefault(tuple(map(node_labels.get, labels)), set()).add(kind)
        return domain

    def ceilings(self, worth: Worth) -> list[tuple[int, NodeBlock]]:
        """Return the blocks of nodes of one make where pods fit, each with an upper bound of its
        scores."""
        makes, key = self.blocks.makes, (worth.shape, worth.policy)
        ceilings = self._ceilings.get(key)
        if ceilings is None:
            able = (make for make in makes if worth.limits(make) is not None)
            ceilings = self._ceilings[key] = [(worth.ceiling(make), make) for make in able]
        return [(most, makes[make]) for most, make in ceilings]

    def kind_of(self, state: int) -> int:
        """Return the kind of nodes in a state."""
        return self._states[state][0]

    def node_of(self, state: int) -> FleetNode:
        """Return a node of the kind of those in a state."""
        return self.snapshot.nodes[self.kinds[self.kind_of(state)]]

    def used(self, state: int) -> Mapping[str, int]:
        """Return the used amounts of a node in a state, in the units of `Node.allocatable`."""
        return self._states[state][1]

    def amounts(self, state: int) -> Amounts:
        """Return the used amounts in the order of the nodes' make."""
        return self._states[state][2]

    def after(self, state: int, shape: Shape, by: int = 1) -> int:
        """Return the state of a node after a pod was added (1) or removed (-1)."""
        key = state, shape, by
        next_state = self._after.get(key)
        if next_state is None:
            kind, used, _ = self._states[state]
            now = dict(used)
            for name, amount in (("pods", 1), *shape.requests.items()):
                now[name] = now.get(name, 0) + amount * by
            next_state = self._after[key] = self._state(kind, now)
        return next_state

    def add(self, node: int, placed: RunningPod) -> None:
        """Record that a pod starts to run on a node."""
        self.snapshot.add(node, placed)
        self._pass(node, self.after(self.state[node], placed.shape))

    def remove(self, node: int, placed: RunningPod) -> None:
        """Record that a pod is removed from a node."""
        self.snapshot.remove(node, placed)
        self._pass(node, self.after(self.state[node], placed.shape, -1))

    def _pass(self, node: int, state: int) -> None:
        before = self.state[node]
        if before == state:
            return
        self.counts[before] -= 1
        self.counts[state] += 1
        self.state[node] = state
        self.moves.append((before, state))
        if self._blocks is not None:
            kind = self.kind[node]
            self._enter((node,), state)
            self._blocks.remove(node, kind, self.makes[kind], before)

    def _enter(self, nodes: Sequence[int], state: int) -> None:
        kind, _, used = self._states[state]
        self.blocks.add(nodes, kind, self.makes[kind], state, used)

    def _taking(self, shape: Shape) -> dict[int, list[int]]:
        nodes = self.snapshot.nodes
        # Nodes of one kind differ by name, which few pods ask for.
        # So do those whose devices claims ask for: no label tells which they have.
        apart = shape.named or shape.claims
        indexes = [at for member in self.members for at in member] if apart else self.kinds
        empty = Snapshot((nodes[index] for index in indexes), self.snapshot.namespaces)
        if shape.claims and self.snapshot.devices is not None:
            empty.devices = self.snapshot.devices.empty()
        filter_chain = FilterChain(shape, empty)
        if filter_chain.conflict is not None:
            return {}
        nodes_by_kind: dict[int, list[int]] = {}
        for number, at in enumerate(indexes):
            if {refusal.plugin for refusal in filter_chain.all_refusals(number)} <= _ROOM:
                kind = self.kind[at]
                if apart:
                    nodes_by_kind.setdefault(kind, []).append(at)
                else:
                    nodes_by_kind[kind] = self.members[kind]
        return nodes_by_kind

    def _state(self, kind: int, used: Mapping[str, int]) -> int:
        key = kind, frozenset((name, amount) for name, amount in used.items() if amount)
        state = self._known.get(key)
        if state is None:
            state = self._known[key] = len(self._states)
            amounts = dict(key[1])
            self._states.append((kind, amounts, self.makes[kind].of(amounts)))
        return state


def _key(node: FleetNode, reads: Collection[str] | None) -> object:
    return (
        frozenset(
            (name, value)
            for name, value in node.labels.items()
            if name != HOSTNAME and (reads is None or name in reads)
        ),
        tuple((taint.key, taint.value, taint.effect) for taint in node.taints),
        node.unschedulable,
        frozenset(node.allocatable.items()),
        node.group,
    )
