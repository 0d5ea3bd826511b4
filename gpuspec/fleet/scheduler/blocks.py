"""Nodes of similar use in blocks, so that a check that holds for a whole block runs once."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.makes import SMOOTH

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from gpuspec.fleet.scheduler.makes import Amounts, Make

_CELLS = 64
"""The number of parts into which a node's CPU and memory are divided."""


class NodeBlock:
    """Nodes of one make whose use is between two bounds.

    Blocks are nested: nodes of one make; of these, nodes with equally many used devices; then nodes
    with similar CPU and memory; and nodes in one state.
    """

    __slots__ = ("_firsts", "_high", "_low", "inside", "kinds", "make", "nodes", "state")

    def __init__(self, make: Make, state: int | None = None) -> None:
        self.make = make
        self.state = state
        """None where nodes are in several."""
        self.kinds: dict[int, int] = {}
        """Its nodes by kind."""
        self.nodes: list[int] = []
        """Those of one state, in their order."""
        self.inside: dict[Hashable, NodeBlock] = {}
        self._firsts: dict[int, int] | None = None
        self._low: Amounts | None = None
        self._high: Amounts | None = None

    @property
    def low(self) -> Amounts:
        """The smallest use of each resource on any node."""
        bound = self._low
        if bound is None:
            bound = self._low = _bound(min, [block.low for block in self.inside.values()])
        return bound

    @property
    def high(self) -> Amounts:
        """The largest use of each resource on any node."""
        bound = self._high
        if bound is None:
            bound = self._high = _bound(max, [block.high for block in self.inside.values()])
        return bound

    @property
    def firsts(self) -> Mapping[int, int]:
        """By kind, the first of its nodes."""
        first_nodes = self._firsts
        if first_nodes is None:
            first_nodes = self._firsts = (
                dict.fromkeys(self.kinds, self.nodes[0]) if self.nodes else {}
            )
            for block in self.inside.values():
                for kind, node in block.firsts.items():
                    if node < first_nodes.get(kind, node + 1):
                        first_nodes[kind] = node
        return first_nodes

    def between(self, used: Amounts) -> None:
        """Set the bounds of what is used of all nodes of the block."""
        self._low = self._high = used

    def came(self, used: Amounts) -> None:
        """Widen the bounds for nodes with a use that no node here had before."""
        low, high = self._low, self._high
        if low is not None:
            self._low = _bound(min, [low, used])
        if high is not None:
            self._high = _bound(max, [high, used])

    def left(self, used: Amounts) -> None:
        """Narrow the bounds after the last nodes with a use have left, since that use may have been
        a bound."""
        if self._low is not None and not _apart(self._low, used):
            self._low = None
        if self._high is not None and not _apart(self._high, used):
            self._high = None

    def count(self, kind: int, by: int) -> None:
        """Add a number of nodes of a kind; a negative number removes them."""
        self._firsts = None
        remaining = self.kinds.get(kind, 0) + by
        if remaining:
            self.kinds[kind] = remaining
        else:
            del self.kinds[kind]


class NodeBlocks:
    """The nodes of the node states in blocks; they move there as their states change."""

    def __init__(self) -> None:
        self.makes: dict[Make, NodeBlock] = {}
        """The outermost blocks, by what their nodes have."""
        self._paths: dict[int, tuple[Hashable, ...]] = {}

    def add(self, nodes: Sequence[int], kind: int, make: Make, state: int, used: Amounts) -> None:
        """Put nodes of a kind where their state belongs; they come in their order."""
        keys = self._paths.get(state)
        if keys is None:
            keys = self._paths[state] = _path(make, state, used)
        block = self.makes.get(make)
        if block is None:
            block = self.makes[make] = NodeBlock(make)
        path = [block]
        for key in keys:
            inner = block.inside.get(key)
            if inner is None:
                inner = block.inside[key] = NodeBlock(make, state if key is keys[-1] else None)
            path.append(inner)
            block = inner
        if not block.nodes:
            block.between(used)
            for path_block in path[:-1]:
                path_block.came(used)
        for node in nodes:
            insort(block.nodes, node)
        for path_block in path:
            path_block.count(kind, len(nodes))

    def remove(self, node: int, kind: int, make: Make, state: int) -> None:
        """Take out a node of a kind, which was in a state."""
        block = self.makes[make]
        path, keys = [block], self._paths[state]
        for key in keys:
            block = block.inside[key]
            path.append(block)
        nodes = block.nodes
        del nodes[bisect_left(nodes, node)]
        for path_block in path:
            path_block.count(kind, -1)
        if nodes:
            return
        for outer, inner, key in zip(path, path[1:], keys, strict=False):
            outer.left(block.low)
            if not inner.kinds:
                del outer.inside[key]
                break


def states(block: NodeBlock) -> list[NodeBlock]:
    """Return the blocks of one state in a block."""
    if block.state is not None:
        return [block]
    node_blocks: list[NodeBlock] = []
    blocks = [block]
    while blocks:
        for inner in blocks.pop().inside.values():
            (blocks if inner.state is None else node_blocks).append(inner)
    return node_blocks


def _bound(of: Callable[..., int], amounts: list[Amounts]) -> Amounts:
    return amounts[0] if len(amounts) == 1 else tuple(map(of, *amounts))


def _path(make: Make, state: int, used: Amounts) -> tuple[Hashable, ...]:
    """Return the keys of the blocks that nodes in a state lie in, the outermost first, within their
    make."""
    cell = tuple(
        [
            used_amount * _CELLS // have if have else 0
            for used_amount, have in zip(used[:2], make.amounts, strict=False)
        ]
    )
    return used[len(SMOOTH) :], cell, state


def _apart(amounts: Amounts, other_amounts: Amounts) -> bool:
    """Return whether no amount of the one is as much in the other."""
    return True not in map(int.__eq__, amounts, other_amounts)
