"""Nodes of equal state, so that what is found of one is found of all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gpuspec.fleet.nodes.node import HOSTNAME

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from gpuspec.fleet.nodes.node import Node
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Placed, Snapshot


class Board:
    """The states of a snapshot's nodes. Pods come and go through it.

    Two nodes are of one kind when they differ in name alone, and in one state when they are of one
    kind and as much is used of each.
    """

    def __init__(self, snapshot: Snapshot, reads: Collection[str] | None = None) -> None:
        """`reads`: the labels that anything here asks for, the host's name aside; None for all."""
        self.snapshot = snapshot
        self.kinds: list[int] = []
        """By kind, the first node of it."""
        self.members: list[list[int]] = []
        """By kind, all nodes of it."""
        self.kind: list[int] = []
        """By node."""
        self.state: list[int] = []
        """By node."""
        self._states: list[tuple[int, Mapping[str, int]]] = []
        self._known: dict[tuple[int, frozenset[tuple[str, int]]], int] = {}
        self._after: dict[tuple[int, Shape, int], int] = {}
        seen: dict[object, int] = {}
        for index, node in enumerate(snapshot.nodes):
            key = _key(node, reads)
            if key not in seen:
                seen[key] = len(self.kinds)
                self.kinds.append(index)
                self.members.append([])
            self.members[seen[key]].append(index)
            self.kind.append(seen[key])
            self.state.append(self._state(seen[key], snapshot.used[index]))
        self.counts = Counter(self.state)
        """Nodes by state; of states that no node is in, 0."""

    def kind_of(self, state: int) -> int:
        """The kind of nodes in a state."""
        return self._states[state][0]

    def node_of(self, state: int) -> Node:
        """A node of the kind of those in a state."""
        return self.snapshot.nodes[self.kinds[self.kind_of(state)]]

    def used(self, state: int) -> Mapping[str, int]:
        """What is used of a node in a state, in the units of `Node.allocatable`."""
        return self._states[state][1]

    def after(self, state: int, shape: Shape, by: int = 1) -> int:
        """The state of a node when a pod came to it (1), or left it (-1)."""
        key = state, shape, by
        found = self._after.get(key)
        if found is None:
            kind, used = self._states[state]
            now = dict(used)
            for name, amount in (("pods", 1), *shape.requests.items()):
                now[name] = now.get(name, 0) + amount * by
            found = self._after[key] = self._state(kind, now)
        return found

    def add(self, node: int, placed: Placed) -> None:
        """A pod begins to run on a node."""
        self.snapshot.add(node, placed)
        self._pass(node, self.after(self.state[node], placed.shape))

    def remove(self, node: int, placed: Placed) -> None:
        """A pod of a node is gone."""
        self.snapshot.remove(node, placed)
        self._pass(node, self.after(self.state[node], placed.shape, -1))

    def _pass(self, node: int, state: int) -> None:
        self.counts[self.state[node]] -= 1
        self.counts[state] += 1
        self.state[node] = state

    def _state(self, kind: int, used: Mapping[str, int]) -> int:
        key = kind, frozenset((name, amount) for name, amount in used.items() if amount)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._states)
            self._states.append((kind, dict(key[1])))
        return found


def _key(node: Node, reads: Collection[str] | None) -> object:
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
