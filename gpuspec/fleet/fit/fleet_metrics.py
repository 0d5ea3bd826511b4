"""Figures of the fleet: the idle GPUs of each node, and the classes that can use them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.fleet.fit.result import Figures
from gpuspec.fleet.fragments import Metric, State, fragment, stranded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.fleet.fragments import Class, Strand
    from gpuspec.fleet.nodes import DevicePart, Gpus
    from gpuspec.fleet.scheduler.node_states import NodeStates


class _Facts(NamedTuple):
    """One node's contribution to the figures of a fleet."""

    gpus: int
    idle: int
    amount: int
    whole: int
    bare: int
    largest: int
    stranded: tuple[tuple[str, int], ...]


class _Sums:
    """The sums over nodes."""

    def __init__(self) -> None:
        self.nodes = self.gpus = self.idle = self.amount = self.whole = self.bare = 0
        self.largest: Counter[int] = Counter()
        self.lacks: Counter[str] = Counter()

    def add(self, facts: _Facts, count: int) -> None:
        """Add a number of nodes; a negative number removes them."""
        self.nodes += count
        self.gpus += count * facts.gpus
        self.idle += count * facts.idle
        self.amount += count * facts.amount
        self.whole += count * facts.whole
        self.bare += count * facts.bare
        self.largest[facts.largest] += count
        for name, milli in facts.stranded:
            self.lacks[name] += count * milli


class FleetMetrics:
    """The figures of node states for classes of work, cached by state. Reports count for each class
    only nodes that it may run on: other pools are not fragments for it, and an empty fleet with
    fitting shapes has none.

    The published metric, which `fgd` minimizes, counts other pools too.
    """

    def __init__(self, node_states: NodeStates, classes: Iterable[Class]) -> None:
        self.node_states = node_states
        self.metric = Metric(classes)
        self.devices = device_names(node_states)
        self._meant = frozenset(
            kind for class_ in self.metric.classes for kind in class_.kinds or () if class_.weight
        )
        self._states: dict[int, State] = {}
        self._amounts: dict[int, int] = {}
        self._bars: dict[str, int] = {}
        self._facts: dict[int, _Facts] = {}
        self._sums: _Sums | None = None
        self._heard = 0
        self._strands: dict[int, tuple[Strand, ...]] = {}

    def state(self, number: int) -> State:
        """Return what is left of nodes in a state of the node states."""
        state = self._states.get(number)
        if state is None:
            state = self._states[number] = self._state(number)
        return state

    def amount(self, number: int) -> int:
        """Return the expected fragment of a node in a state, as published, times the weight of
        all classes."""
        amount = self._amounts.get(number)
        if amount is None:
            amount = self._amounts[number] = self.metric.amount(self.state(number))
        return amount

    def lost(self, number: int, size_class: Class) -> int:
        """Return idle thousandths of GPUs that a class cannot use, of a node in a state.

        Zero for nodes that the class may not run on.
        """
        state = self.state(number)
        return (
            fragment(state, size_class)
            if size_class.kinds is None or state.kind in size_class.kinds
            else 0
        )

    def reach(self, number: int) -> int:
        """Return what classes lose on nodes that they may run on, times the weight of all
        classes."""
        state = self.state(number)
        return self.amount(number) - self._barred(state.kind) * state.total

    def growth(self, before: int, after: int) -> int:
        """Return by how much the expected fragment grows when a node changes its state."""
        return self.amount(after) - self.amount(before)

    def strands(self, number: int) -> tuple[Strand, ...]:
        """Return idle devices of a node in a state that are of no use to any class."""
        strandings = self._strands.get(number)
        if strandings is None:
            state = self.state(number)
            is_meant = self._is_meant(state)
            strandings = stranded(state, self.metric) if is_meant else ()
            self._strands[number] = strandings
        return strandings

    def figures(self, nodes: Sequence[int] | None = None) -> Figures:
        """Return the figures of some nodes; of all by default."""
        sums = self._all() if nodes is None else _Sums()
        for number, count in Counter(self.node_states.state[at] for at in nodes or ()).items():
            sums.add(self._look(number), count)
        weight = self.metric.weight
        return Figures(
            nodes=sums.nodes,
            gpus=sums.gpus,
            allocated=sums.gpus - sums.idle,
            idle=sums.idle,
            stranded=sum(sums.lacks.values()),
            fragment=sums.amount / weight / 1000 if weight else 0.0,
            whole=sums.whole,
            largest=max((size for size, count in sums.largest.items() if count), default=0),
            bare=sums.bare,
            stranded_by=dict(sorted((+sums.lacks).items(), key=lambda pair: (-pair[1], pair[0]))),
        )

    def _all(self) -> _Sums:
        """Return the sums over all nodes; only nodes that changed since the last call are computed
        again."""
        if self._sums is None:
            self._sums, self._heard = _Sums(), len(self.node_states.moves)
            for number, count in self.node_states.counts.items():
                if count:
                    self._sums.add(self._look(number), count)
        moved = Counter[int]()
        for before, after in self.node_states.moves[self._heard :]:
            moved[before] -= 1
            moved[after] += 1
        self._heard = len(self.node_states.moves)
        for number, count in moved.items():
            if count:
                self._sums.add(self._look(number), count)
        return self._sums

    def _look(self, number: int) -> _Facts:
        facts = self._facts.get(number)
        if facts is not None:
            return facts
        state = self.state(number)
        facts_of_state = self._facts[number] = _Facts(
            state.capacity,
            state.total,
            self.reach(number),
            1 if state.whole else 0,
            1 if self.node_states.node_of(number).gpus is None else 0,
            state.largest,
            tuple((strand.resource or "", strand.milli) for strand in self.strands(number)),
        )
        return facts_of_state

    def _barred(self, kind: str) -> int:
        """Return the weight of the classes that may not run on nodes of a kind."""
        barred_gpus = self._bars.get(kind)
        if barred_gpus is None:
            classes = self.metric.classes
            barred = (
                class_.weight
                for class_ in classes
                if class_.kinds is not None and kind not in class_.kinds
            )
            barred_gpus = self._bars[kind] = sum(barred)
        return barred_gpus

    def nobodys(self) -> list[str]:
        """Groups of nodes with GPUs that no class may run on, left out of the figures; for some
        groups only part of the nodes, such as cordoned ones."""
        groups: dict[str, set[bool]] = {}
        for kind, at in enumerate(self.node_states.kinds):
            node = self.node_states.snapshot.nodes[at]
            if node.gpus is not None:
                groups.setdefault(node.group, set()).add(str(kind) in self._meant)
        return [
            f"some nodes of {name}" if True in is_meant else name
            for name, is_meant in groups.items()
            if False in is_meant
        ]

    def _is_meant(self, state: State) -> bool:
        """Return whether any class may run on nodes like this; if none may, its GPUs do not count
        as stranded."""
        return state.kind in self._meant

    def _state(self, number: int) -> State:
        node, used = self.node_states.node_of(number), self.node_states.used(number)
        free = {
            name: max(0, have - used.get(name, 0))
            for name, have in node.allocatable.items()
            if name not in self.devices
        }
        kind = str(self.node_states.kind_of(number))
        if node.gpus is None:
            return State(kind, free, {})
        idle = {
            name: tuple(piece.milli for piece in pieces[used.get(name, 0) :])
            for name, pieces in working(node.gpus, node.allocatable).items()
        }
        capacity = sum(
            piece.milli
            for pieces in working(node.gpus, node.allocatable).values()
            for piece in pieces
        )
        return State(kind, free, idle, capacity)


def device_names(node_states: NodeStates) -> frozenset[str]:
    """Return the resources of the devices of all nodes."""
    nodes = (node_states.snapshot.nodes[at] for at in node_states.kinds)
    return frozenset(name for node in nodes if node.gpus for name in node.gpus.pieces)


def working(gpus: Gpus, allocatable: Mapping[str, int]) -> Mapping[str, tuple[DevicePart, ...]]:
    """Return the devices that can be allocated: the node does not say which are unhealthy, so the
    last ones are left out."""
    return {name: pieces[: allocatable.get(name, 0)] for name, pieces in gpus.pieces.items()}
