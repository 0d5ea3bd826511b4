"""Pods are placed one after the other, each where the scheduler would put it."""

from __future__ import annotations

from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING

from gpuspec.fleet.claims.faults import Failed, Unjudged
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.filters.node_resources import NodeResources
from gpuspec.fleet.scheduler.levels import Levels
from gpuspec.fleet.scheduler.likes import Likes
from gpuspec.fleet.scheduler.makes import within
from gpuspec.fleet.scheduler.measuring import totals
from gpuspec.fleet.scheduler.sooner import Sooner
from gpuspec.fleet.scheduler.spread_score import SpreadScore
from gpuspec.fleet.scheduler.untouched import UntouchedNodes
from gpuspec.fleet.scheduler.verdict import in_the_way, look
from gpuspec.fleet.scheduler.worth import Worth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from gpuspec.fleet.scheduler.makes import Make
    from gpuspec.fleet.scheduler.measuring import Measure
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import RunningPod

_PREFERRED = 2
_SOONER = 2
_MOST = 100

_Class = tuple[object, int]
"""Nodes that differ only in their own score: equal in the score of their labels, and in the number
of counted pods on each."""


class Placer:
    """Places pods of one shape on the node states; ties are broken at random, as in the scheduler.

    Nodes are kept by class and score, so that placing a pod reads each class and the chosen node,
    independent of the number of nodes. Nodes without a pod of the shape are read in blocks, and one
    by one only if they may be the best.
    """

    def __init__(
        self,
        node_states: NodeStates,
        shape: Shape,
        policy: Policy,
        random: Random,
        *,
        service: bool = False,
        among: Iterable[int] | None = None,
        growth: Callable[[int, int], int] | None = None,
    ) -> None:
        """Set up placing.

        `among`: the candidate nodes; None for all. `service`: see `SpreadScore`. `growth`: by how
        much the expected fragment grows when a node changes its state, for `fgd`.
        """
        self.node_states = node_states
        self.shape = shape
        self.filter_chain = FilterChain(shape, node_states.snapshot)
        self._policy = policy
        self._random = random
        self._growth = growth
        self._resources = NodeResources(shape.requests)
        self._spread = SpreadScore(shape, node_states.snapshot, service=service)
        self._likes = Likes(node_states, shape, self._spread.topologies)
        self._alone = self.filter_chain.alone
        self._scores: dict[int, int | None] = {}
        self._classes: dict[_Class, Levels] = {}
        # Pods of the shape came to these: they are told apart from others of their state.
        self._come: set[int] = set()
        self._hosts: int | None = None
        self._worth = Worth(shape, policy)
        self._sooner = Sooner(shape, node_states.snapshot)
        apart = shape.wishes_names or bool(self._sooner)
        self._whole = among is None and policy != "fgd" and not apart
        if self.filter_chain.conflict is not None or (shape.claims and not self._settled()):
            return
        if self._whole:
            self._open()
        else:
            self._enter_all(range(len(node_states.state)) if among is None else among)

    def _settled(self) -> bool:
        """Return whether the scheduler can decide for every node if it has the requested devices.

        An unused claim of the pod loses its devices if they block the pod, as in the scheduler.
        """
        snapshot = self.node_states.snapshot
        verdict = look(self.filter_chain)
        idle = in_the_way(verdict, snapshot)
        if idle and snapshot.devices is not None:
            for claim in idle:
                snapshot.devices.drop(claim)
            verdict = look(self.filter_chain)
        return verdict.failure is None and verdict.unjudged is None

    def place(self, placed: RunningPod) -> int | None:
        """Place a pod of the shape; returns its node, or None when none takes it."""
        chosen = self._any() if self._alone else self._first()
        if chosen is None:
            return None
        levels, value, position = chosen
        index = levels.take(value, position)
        self.node_states.add(index, placed)
        self.filter_chain.moved(index, placed, 1)
        self._spread.moved(index, placed, 1)
        self._come.add(index)
        if not self._enter(index) and self._hosts is not None:
            self._hosts -= 1
        return index

    def _any(self) -> tuple[Levels, int, int] | None:
        """Return one of the nodes with the best score, where each of them takes the pod."""
        best = -1
        ties: list[tuple[Levels, int]] = []
        for levels, extra in self._extras():
            value = levels.best()
            assert value is not None
            whole = value + extra
            if whole > best or not ties:
                best, ties = whole, [(levels, value)]
            elif whole == best:
                ties.append((levels, value))
        if not ties:
            return None
        ties = self._sorted(ties)
        drawn = self._random.randrange(sum(len(index.level(value)) for index, value in ties))
        for levels, value in ties:
            if drawn < len(levels.level(value)):
                return levels, value, drawn
            drawn -= len(levels.level(value))
        raise AssertionError("a place is drawn among those that there are")

    def _first(self) -> tuple[Levels, int, int] | None:
        """Return the best node that takes the pod, if that does not depend on its state alone."""
        candidates = (_falling(number, *extra) for number, extra in enumerate(self._extras()))
        for _, alike in groupby(merge(*candidates), key=lambda candidate: candidate[0]):
            ties = self._sorted([(levels, value) for _, _, levels, value in alike])
            for levels, value, position in self._shuffled(ties):
                if self._takes(levels.level(value)[position]):
                    return levels, value, position
        return None

    def _takes(self, index: int) -> bool:
        try:
            return self.filter_chain.refusal(index) is None
        except (Failed, Unjudged):
            return False

    def _sorted(self, ties: list[tuple[Levels, int]]) -> list[tuple[Levels, int]]:
        """Return levels in the order of their classes: that of the first nodes that were in
        each."""
        return sorted(ties, key=lambda tie: self._order(tie[0])) if len(ties) > 1 else ties

    def _order(self, levels: Levels) -> int:
        if levels.order is None:
            assert isinstance(levels.first, UntouchedNodes)
            levels.order = levels.first.first()
        return levels.order

    def _shuffled(self, ties: list[tuple[Levels, int]]) -> Iterator[tuple[Levels, int, int]]:
        """Yield the places of some levels in random order, drawn lazily: mostly one of the first
        takes the pod."""
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
        """Yield the classes that have nodes, each with what its labels and its pods add to the
        score."""
        class_levels = [levels for levels in self._classes.values() if levels]
        if not class_levels:
            return
        firsts = [levels.level(levels.best() or 0)[0] for levels in class_levels]
        extra = [0] * len(class_levels)
        if self._policy in ("least-allocated", "most-allocated"):
            if self.shape.preferred_nodes:
                wishes = [self._likes.wish(index) for index in firsts]
                most = max(wishes) or 1
                extra = [_PREFERRED * _MOST * wish // most for wish in wishes]
            if self._spread:
                apart = self._spread.scores(firsts, self._count)
                extra = [
                    extra_scores + more for extra_scores, more in zip(extra, apart, strict=True)
                ]
            if self._sooner:
                first = [self._sooner.rank(index) for index in firsts]
                most = max(first) or 1
                more = (_SOONER * _MOST * rank // most for rank in first)
                extra = [score + more_score for score, more_score in zip(extra, more, strict=True)]
        yield from zip(class_levels, extra, strict=True)

    def _count(self) -> int:
        """Return nodes that take the pod, as far as its class decides."""
        if not self._whole:
            return sum(map(len, self._classes.values()))
        if self._hosts is None:
            node_states = self.node_states
            kinds = node_states.takers(self.shape) if self._alone else range(len(node_states.kinds))
            totals_by_kind = totals(
                node_states.blocks.makes.values(), frozenset(kinds), self._taken
            )
            self._hosts = sum(totals_by_kind.values())
        return self._hosts

    def _taken(self, make: Make) -> Measure | None:
        """Return 1 for each node of a make where the pod fits."""
        limits = self._worth.limits(make)
        return None if limits is None else lambda used: within(limits, used)

    def _open(self) -> None:
        """Set up the classes of all nodes, which are read lazily."""
        node_states = self.node_states
        kinds = node_states.takers(self.shape) if self._alone else range(len(node_states.kinds))
        by_label: dict[object, set[int]] = {}
        if self.shape.preferred_nodes:
            for kind in kinds:
                by_label.setdefault(self._likes.label(node_states.kinds[kind]), set()).add(kind)
        else:
            for domains, alike in node_states.domains(self._spread.topologies).items():
                if common := alike.intersection(kinds):
                    by_label[0, domains] = common
        had: list[int] | None = None
        if self._spread.by_host and self._spread.counted:
            had = node_states.hosts(self._spread.hosts)
            for index in had:
                self._enter(index, index)
        others = None if had is None else frozenset(had)
        blocks = node_states.ceilings(self._worth)
        for label, alike in by_label.items():
            start = UntouchedNodes(
                node_states, blocks, self._worth, frozenset(alike), self._come, others
            )
            self._classes[label, 0] = Levels(start)

    def _enter_all(self, nodes: Iterable[int]) -> None:
        """Put nodes into their classes, those of one state together if their pods do not count."""
        if (self._spread.by_host and self._spread.counted) or self._sooner:
            for index in nodes:
                self._enter(index)
            return
        together: dict[int, list[int]] = {}
        for index in nodes:
            together.setdefault(self.node_states.state[index], []).append(index)
        for state, alike in together.items():
            value = self._scores[state] = self._score(alike[0], state)
            if value is not None:
                self._class((self._likes.label(alike[0]), 0)).extend(value, alike)

    def _enter(self, index: int, order: int | None = None) -> bool:
        """Put a node into its class, unless it is full for the shape; returns whether it is there."""
        state = self.node_states.state[index]
        if state in self._scores:
            value = self._scores[state]
        else:
            value = self._scores[state] = self._score(index, state)
        if value is None:
            return False
        spread_count = self._spread.on(index) if self._spread.by_host else 0
        label = self._likes.label(index)
        label = (label, self._sooner.rank(index)) if self._sooner else label
        self._class((label, spread_count), order).add(value, index)
        return True

    def _class(self, key: _Class, order: int | None = None) -> Levels:
        levels = self._classes.get(key)
        if levels is None:
            late = len(self.node_states.state) + len(self._classes)
            levels = self._classes[key] = Levels(order=late if order is None else order)
        return levels

    def _score(self, index: int, state: int) -> int | None:
        """Return the score of nodes in a state; None of those that do not take the pod."""
        node_states = self.node_states
        node, used = node_states.snapshot.nodes[index], node_states.used(state)
        if self._alone:
            refusal = self.filter_chain.refusal(index, used)
        else:
            refusal = self._resources.check(index, node, used)
        if refusal is not None:
            return None
        if self._policy == "fgd" and self._growth is not None:
            return -self._growth(state, node_states.after(state, self.shape))
        amounts = node_states.amounts(state)
        return self._worth.score(node_states.makes[node_states.kind[index]])(amounts, amounts)


def _falling(number: int, levels: Levels, extra: int) -> Iterator[tuple[int, int, Levels, int]]:
    """Yield the levels of one class, the highest first, with negated totals."""
    for value in levels.scores():
        yield -(value + extra), number, levels, value
