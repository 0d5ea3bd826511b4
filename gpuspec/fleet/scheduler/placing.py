"""Pods are placed one after the other, each where the scheduler would put it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.levels import Levels
from gpuspec.fleet.scheduler.scoring import score
from gpuspec.fleet.scheduler.sieve import Sieve
from gpuspec.fleet.scheduler.spread_score import SpreadScore
from gpuspec.fleet.scheduler.terms import NodeTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Placed

_PREFERRED = 2
_MOST = 100

_Class = tuple[object, int]
"""Nodes between which only their own score decides: what their labels come to, and how many pods
of the shape's kind are on each where that counts."""


class Placer:
    """Places pods of one shape on a board; ties are broken at random, as the scheduler does.

    Nodes are kept by class and score, so that a pod costs a look at each class and at the node that
    it goes to, however many nodes there are.
    """

    def __init__(
        self,
        board: Board,
        shape: Shape,
        policy: Policy,
        random: Random,
        *,
        service: bool = False,
        among: Iterable[int] | None = None,
        growth: Callable[[int, int], int] | None = None,
    ) -> None:
        """`among`: the nodes that come into question; None for all.

        `service`: see `SpreadScore`. `growth`: by how much the expected fragment grows when a node
        passes from one state to another, for `fgd`.
        """
        self.board = board
        self.shape = shape
        self.sieve = Sieve(shape, board.snapshot)
        self._policy = policy
        self._random = random
        self._growth = growth
        self._resources = NodeResources(shape.requests)
        self._spread = SpreadScore(shape, board.snapshot, service=service)
        self._alone = self.sieve.alone
        self._scores: dict[int, int | None] = {}
        self._labels: dict[int, object] = {}
        self._wishes: dict[int, int] = {}
        self._classes: dict[_Class, Levels] = {}
        if self.sieve.conflict is None:
            self._enter_all(range(len(board.state)) if among is None else among)

    def place(self, placed: Placed) -> int | None:
        """Place a pod of the shape; returns its node, or None when none takes it."""
        chosen = self._any() if self._alone else self._first()
        if chosen is None:
            return None
        levels, value, position = chosen
        index = levels.take(value, position)
        self.board.add(index, placed)
        self.sieve.moved(index, placed, 1)
        self._spread.moved(index, placed, 1)
        self._enter(index)
        return index

    def _any(self) -> tuple[Levels, int, int] | None:
        """One of the nodes with the best score, where each of them takes the pod."""
        best = -1
        ties: list[tuple[Levels, int]] = []
        for levels, extra in self._extras():
            value = levels.best()
            assert value is not None
            total = value + extra
            if total > best or not ties:
                best, ties = total, [(levels, value)]
            elif total == best:
                ties.append((levels, value))
        if not ties:
            return None
        drawn = self._random.randrange(sum(len(one.level(value)) for one, value in ties))
        for levels, value in ties:
            if drawn < len(levels.level(value)):
                return levels, value, drawn
            drawn -= len(levels.level(value))
        raise AssertionError("a place is drawn among those that there are")

    def _first(self) -> tuple[Levels, int, int] | None:
        """The best node that takes the pod, where others than its state have a say in that."""
        ranked: dict[int, list[tuple[Levels, int]]] = {}
        for levels, extra in self._extras():
            for value in levels.scores():
                ranked.setdefault(value + extra, []).append((levels, value))
        for total in sorted(ranked, reverse=True):
            for levels, value, position in self._shuffled(ranked[total]):
                if self.sieve.refusal(levels.level(value)[position]) is None:
                    return levels, value, position
        return None

    def _shuffled(self, ties: list[tuple[Levels, int]]) -> Iterator[tuple[Levels, int, int]]:
        """The places of some levels in random order, drawn as far as they are asked for: mostly one
        of the first takes the pod."""
        count = sum(len(levels.level(value)) for levels, value in ties)
        moved: dict[int, int] = {}
        for step in range(count):
            drawn = self._random.randrange(step, count)
            position = moved.get(drawn, drawn)
            moved[drawn] = moved.get(step, step)
            for levels, value in ties:
                size = len(levels.level(value))
                if position < size:
                    yield levels, value, position
                    break
                position -= size

    def _extras(self) -> Iterator[tuple[Levels, int]]:
        """The classes that have nodes, each with what its labels and its pods add to the score."""
        there = [levels for levels in self._classes.values() if levels]
        if not there:
            return
        firsts = [levels.level(levels.best() or 0)[0] for levels in there]
        extra = [0] * len(there)
        if self._policy in ("least-allocated", "most-allocated"):
            if self.shape.preferred_nodes:
                wishes = [self._wish(index) for index in firsts]
                most = max(wishes) or 1
                extra = [_PREFERRED * _MOST * wish // most for wish in wishes]
            if self._spread:
                hosts = sum(len(levels) for levels in there)
                apart = self._spread.scores(firsts, hosts)
                extra = [each + more for each, more in zip(extra, apart, strict=True)]
        yield from zip(there, extra, strict=True)

    def _enter_all(self, nodes: Iterable[int]) -> None:
        """Put nodes into their classes, those of one state at once where their pods do not count."""
        if self._spread.by_host and self._spread.counted:
            for index in nodes:
                self._enter(index)
            return
        together: dict[int, list[int]] = {}
        for index in nodes:
            together.setdefault(self.board.state[index], []).append(index)
        for state, alike in together.items():
            value = self._scores[state] = self._score(alike[0], state)
            if value is not None:
                key = self._label(alike[0]), 0
                self._classes.setdefault(key, Levels()).extend(value, alike)

    def _enter(self, index: int) -> None:
        """Put a node into its class, unless it is full for the shape."""
        state = self.board.state[index]
        if state in self._scores:
            value = self._scores[state]
        else:
            value = self._scores[state] = self._score(index, state)
        if value is None:
            return
        own = self._spread.on(index) if self._spread.by_host else 0
        key = self._label(index), own
        levels = self._classes.get(key)
        if levels is None:
            levels = self._classes[key] = Levels()
        levels.add(value, index)

    def _score(self, index: int, state: int) -> int | None:
        """The score of nodes in a state; None of those that do not take the pod."""
        board = self.board
        node, used = board.snapshot.nodes[index], board.used(state)
        if self._alone:
            refusal = self.sieve.refusal(index, used)
        else:
            refusal = self._resources.check(index, node, used)
        if refusal is not None:
            return None
        if self._policy == "fgd" and self._growth is not None:
            return -self._growth(state, board.after(state, self.shape))
        return score(self._policy, self.shape.requests, node.allocatable, used)

    def _label(self, index: int) -> object:
        """What the labels of a node come to for its score."""
        kind = self.board.kind[index]
        known = self._labels.get(kind)
        if known is None:
            labels = self.board.snapshot.nodes[index].labels
            domains = tuple(labels.get(each) for each in self._spread.topologies)
            known = self._labels[kind] = (self._wish(index), domains)
        return known

    def _wish(self, index: int) -> int:
        """How much the pod would like a node."""
        kind = self.board.kind[index]
        known = self._wishes.get(kind)
        if known is None:
            node = self.board.snapshot.nodes[index]
            terms = ((one.weight, one.term) for one in self.shape.preferred_nodes)
            known = sum(
                weight
                for weight, term in terms
                if isinstance(term, NodeTerm) and term.met(node.name, node.labels)
            )
            self._wishes[kind] = known
        return known
