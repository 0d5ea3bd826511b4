"""Nodes of much the same use in blocks, so that what holds of all in one is asked once."""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.requests import CPU, DISK, MEMORY, PODS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set

_SMOOTH = (CPU, MEMORY, DISK, PODS)
"""What is used in all amounts; of other resources, devices mostly, few amounts are."""
_CELLS = 16
"""Parts that a node's CPU and its memory are divided into."""


class Block:
    """Nodes that have the same, and of which as much is used as lies between two bounds.

    Blocks lie in each other: nodes that have the same; of these those of which as many devices are
    used; then much the same CPU and memory; and nodes in one state.
    """

    __slots__ = ("_free", "_high", "_low", "have", "inside", "kinds", "nodes", "state")

    def __init__(self, have: Mapping[str, int], state: int | None = None) -> None:
        self.have = have
        self.state = state
        """None where nodes are in several."""
        self.kinds: dict[int, int] = {}
        """Its nodes by kind."""
        self.nodes: list[int] = []
        """Those of one state, in their order."""
        self.inside: dict[Hashable, Block] = {}
        self._low: dict[str, int] | None = None
        self._high: dict[str, int] | None = None
        self._free: dict[str, int] | None = None

    @property
    def low(self) -> dict[str, int]:
        """The least that is used of each resource on any node."""
        found = self._low
        if found is None:
            found = self._low = _bound(min, [each.low for each in self.inside.values()])
        return found

    @property
    def high(self) -> dict[str, int]:
        """The most that is."""
        found = self._high
        if found is None:
            found = self._high = _bound(max, [each.high for each in self.inside.values()])
        return found

    @property
    def free(self) -> dict[str, int]:
        """The most that is left of each resource on any node."""
        found = self._free
        if found is None:
            have = self.have
            found = {name: have.get(name, 0) - used for name, used in self.low.items()}
            self._free = found
        return found

    @property
    def even(self) -> bool:
        """Whether as much is used of all its nodes."""
        return self.state is not None or self.low == self.high

    def between(self, used: dict[str, int]) -> None:
        """So much is used of all its nodes."""
        self._low = self._high = used

    def came(self, used: dict[str, int]) -> None:
        """Nodes came inside of which so much is used, as none was there before."""
        low, high = self._low, self._high
        if low is not None and _below(used, low):
            self._low, self._free = _bound(min, [low, used]), None
        if high is not None and _below(high, used):
            self._high = _bound(max, [high, used])

    def left(self, used: dict[str, int]) -> None:
        """The last nodes left inside of which so much was used: maybe they were at a bound."""
        if self._low is not None and not _apart(self._low, used):
            self._low = self._free = None
        if self._high is not None and not _apart(self._high, used):
            self._high = None

    def count(self, kind: int, by: int) -> None:
        """So many nodes of a kind came."""
        left = self.kinds.get(kind, 0) + by
        if left:
            self.kinds[kind] = left
        else:
            del self.kinds[kind]


class Blocks:
    """The nodes of a board in blocks; they move there as their states change."""

    def __init__(self) -> None:
        self._all = Block({})
        self._paths: dict[int, tuple[Hashable, ...]] = {}

    @property
    def makes(self) -> Mapping[Hashable, Block]:
        """The outermost blocks, by what their nodes have."""
        return self._all.inside

    def add(
        self,
        nodes: Sequence[int],
        kind: int,
        have: Mapping[str, int],
        state: int,
        used: Mapping[str, int],
    ) -> None:
        """Put nodes of a kind, which has so much, where their state belongs; they come in their
        order."""
        keys = self._paths.get(state)
        if keys is None:
            keys = self._paths[state] = _path(have, state, used)
        path = [self._all]
        for key in keys:
            inner = path[-1].inside.get(key)
            if inner is None:
                have = path[-1].have or have
                inner = path[-1].inside[key] = Block(have, state if key == keys[-1] else None)
            path.append(inner)
        leaf = path[-1]
        if not leaf.nodes:
            used = {name: used.get(name, 0) for name in dict.fromkeys((*_SMOOTH, *leaf.have))}
            leaf.between(used)
            for each in path[:-1]:
                each.came(used)
        for node in nodes:
            insort(leaf.nodes, node)
        for each in path:
            each.count(kind, len(nodes))

    def remove(self, node: int, kind: int, state: int) -> None:
        """Take out a node of a kind, which was in a state."""
        path = [self._all]
        keys = self._paths[state]
        for key in keys:
            path.append(path[-1].inside[key])
        nodes = path[-1].nodes
        del nodes[bisect_left(nodes, node)]
        for each in path:
            each.count(kind, -1)
        if nodes:
            return
        used = path[-1].low
        for outer, inner, key in zip(path, path[1:], keys, strict=False):
            outer.left(used)
            if not inner.kinds:
                del outer.inside[key]
                break


def totals(
    blocks: Iterable[Block],
    kinds: Set[int],
    measure: Callable[[Mapping[str, int], Mapping[str, int]], int],
) -> dict[int, int]:
    """By kind, the sum over its nodes of what falls as more of a node is used.

    `measure` is of what a node has and what is used of it.
    """
    found = dict.fromkeys(kinds, 0)
    left = list(blocks)
    while left:
        block = left.pop()
        if kinds.isdisjoint(block.kinds):
            continue
        most = measure(block.have, block.low)
        if most and not (block.state is not None or measure(block.have, block.high) == most):
            left += block.inside.values()
        elif most:
            for kind, many in block.kinds.items():
                if kind in found:
                    found[kind] += many * most
    return found


def freest(blocks: Iterable[tuple[Block, Set[int]]], name: str) -> int:
    """The most that a node of some kinds in a block has left of a resource, of all these blocks; 0
    where none has any."""
    heap = [
        (-block.free.get(name, 0), at, block, kinds) for at, (block, kinds) in enumerate(blocks)
    ]
    heapify(heap)
    number = len(heap)
    while heap and heap[0][0] < 0:
        most, _, block, kinds = heappop(heap)
        if block.kinds.keys() <= kinds:
            return -most
        for inner in block.inside.values():
            if not kinds.isdisjoint(inner.kinds):
                heappush(heap, (-inner.free.get(name, 0), number, inner, kinds))
                number += 1
    return 0


def states(block: Block) -> list[Block]:
    """The blocks of one state in a block."""
    found: list[Block] = []
    left = [block]
    while left:
        one = left.pop()
        if one.state is None:
            left += one.inside.values()
        else:
            found.append(one)
    return found


class Ranking:
    """The states of some kinds in blocks by what their nodes are worth, the best first, as far as
    they are asked for.

    Nodes may move meanwhile: of those that do not, each is told of once and in its place.
    """

    def __init__(
        self,
        blocks: Iterable[tuple[int, Block]],
        kinds: Set[int],
        worth: Callable[[Block], int | None],
    ) -> None:
        """`blocks` come with what a node in them is worth at most.

        `worth` tells that too, as closely as can be told of a block, exactly of one that is even;
        None where no node of it comes into question.
        """
        self._kinds = kinds
        self._worth = worth
        self._heap = [(-most, number, block) for number, (most, block) in enumerate(blocks)]
        heapify(self._heap)
        self._number = len(self._heap)

    @property
    def most(self) -> int | None:
        """What is to come is worth no more; None where nothing is to come."""
        return -self._heap[0][0] if self._heap else None

    def next(self) -> tuple[int, list[Block]] | None:
        """The states worth most of those to come, and how much that is."""
        heap, kinds, fresh = self._heap, self._kinds, self._number
        found: list[Block] = []
        while heap and not found:
            most = -heap[0][0]
            while heap and heap[0][0] == -most:
                _, number, block = heappop(heap)
                if number < fresh:
                    # What was said of it then is no more than a bound now.
                    self._enter((block,), most)
                elif block.even:
                    found += (one for one in states(block) if not kinds.isdisjoint(one.kinds))
                else:
                    self._enter(block.inside.values(), most)
        return (most, found) if found else None

    def _enter(self, blocks: Iterable[Block], most: int) -> None:
        """`most`: whatever has come in since, what was there is worth no more."""
        heap, worth, kinds, number = self._heap, self._worth, self._kinds, self._number
        for block in blocks:
            if not kinds.isdisjoint(block.kinds):
                found = worth(block)
                if found is not None:
                    heappush(heap, (-(found if found < most else most), number, block))
                    number += 1
        self._number = number


def _bound(of: Callable[..., int], each: list[dict[str, int]]) -> dict[str, int]:
    if len(each) == 1:
        return each[0]
    return dict(zip(each[0], map(of, *(one.values() for one in each)), strict=True))


def _path(have: Mapping[str, int], state: int, used: Mapping[str, int]) -> tuple[Hashable, ...]:
    """The keys of the blocks that nodes in a state lie in, the outermost first."""
    devices = frozenset((name, many) for name, many in used.items() if name not in _SMOOTH)
    cell = tuple(
        used.get(name, 0) * _CELLS // have[name] if have.get(name) else 0 for name in (CPU, MEMORY)
    )
    return frozenset(have.items()), devices, cell, state


def _below(one: dict[str, int], other: dict[str, int]) -> bool:
    """Whether any amount of the one is less than in the other."""
    return True in map(int.__lt__, one.values(), other.values())


def _apart(one: dict[str, int], other: dict[str, int]) -> bool:
    """Whether no amount of the one is as much in the other."""
    return True not in map(int.__eq__, one.values(), other.values())
