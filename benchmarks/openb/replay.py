"""One replay: a workload arrives at the empty fleet, task by task, and nothing ever leaves."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from benchmarks.openb.arrivals import drawn
from benchmarks.openb.doubles import Doubles
from benchmarks.openb.fleet import Board, Fleet
from benchmarks.openb.gorand import GoRand
from benchmarks.openb.gradient import Fragments, Gradient, by_demand, published
from benchmarks.openb.policies import PLAIN, Policy
from benchmarks.openb.trace import FULL, Machine, Task
from gpuspec.fleet.fragments import Metric

Ties = Literal["first", "random"]

# Percent of the fleet's GPUs that have arrived, at which results are read.
FULL_LOAD, PART_LOAD = 100, 70
_LARGE = 8


class Outcome(msgspec.Struct, frozen=True):
    """What comes of one replay, in percent of all GPUs of the fleet."""

    allocated: float
    """When as much has arrived as the fleet has GPUs."""
    fragment: float
    """The paper's expected fragment then."""
    whole: float
    """Nodes with eight GPUs that are all idle when 70 % has arrived: a number."""


def replay(
    tasks: tuple[Task, ...], machines: Sequence[Machine], policy: str, ties: Ties, seed: int
) -> Outcome:
    """Replay once. Policies are those of `PLAIN`, `FGD` and `FGD by demand`.

    The order of arrivals, the order of the nodes' names and random ties all come from the seed. Of
    the published policies all but `Random` draw nothing else: their runs are the published ones.
    What `Random` draws depends there on which of sixteen threads was first, and here does not.
    """
    line, order, random = drawn(tasks, machines, seed)
    fleet = Fleet(order)
    paper = Fragments(_paper(tasks))
    chooser = _policy(policy, tasks)
    return _run(line, fleet, chooser, "random" if policy == "Random" else ties, random, paper)


def _policy(name: str, tasks: tuple[Task, ...]) -> Policy:
    if name == "FGD":
        return Gradient(_doubles(tasks))
    if name == "FGD by demand":
        return Gradient(Fragments(_ours(tasks)))
    return PLAIN[name]()


# What a metric has found of states holds for all replays of a workload.
@lru_cache(maxsize=1)
def _paper(tasks: tuple[Task, ...]) -> Metric:
    return Metric(published(tasks))


@lru_cache(maxsize=1)
def _doubles(tasks: tuple[Task, ...]) -> Doubles:
    return Doubles(tasks)


@lru_cache(maxsize=1)
def _ours(tasks: tuple[Task, ...]) -> Metric:
    return Metric(by_demand(tasks))


def _run(
    line: Sequence[Task],
    fleet: Fleet,
    policy: Policy,
    ties: Ties,
    random: GoRand,
    paper: Fragments,
) -> Outcome:
    nodes = range(len(fleet.machines))
    placer = _Placer(fleet, policy)
    capacity = sum(one.gpus for one in fleet.machines) * FULL
    fragments = [paper.node(fleet, node) for node in nodes]
    arrived = used = 0
    fragment = sum(fragments)
    whole = fleet.idle.count(_LARGE)
    loads: dict[int, list[_Reading]] = {}
    for task in line:
        arrived += task.demand
        board = placer.board(task)
        node = board.first() if ties == "first" else board.any(random)
        if node >= 0:
            used += task.demand
            whole -= fleet.idle[node] == _LARGE
            part = 0 < task.milli < FULL
            gpu = policy.gpu(task, fleet, node, random) if part else -1
            placer.place(node, task, gpu)
            whole += fleet.idle[node] == _LARGE
            fragment -= fragments[node]
            fragments[node] = paper.node(fleet, node)
            fragment += fragments[node]
        load = round(arrived * 100 / capacity)
        loads.setdefault(load, []).append(_Reading(used, fragment, whole))
    full, part_load = _nearest(loads, FULL_LOAD), _nearest(loads, PART_LOAD)
    return Outcome(
        allocated=_mean([one.used for one in full]) * 100 / capacity,
        fragment=_mean([one.fragment for one in full]) * 100 / (paper.metric.weight * capacity),
        whole=_mean([one.whole for one in part_load]),
    )


class _Reading(NamedTuple):
    """After one arrival: thousandths in use, fragment times its weight, whole nodes."""

    used: int
    fragment: int
    whole: int


def _nearest(loads: Mapping[int, list[_Reading]], load: int) -> list[_Reading]:
    """What was read at a load in whole percent, or at the nearest that a small fleet has."""
    return loads[min(loads, key=lambda one: (abs(one - load), one))]


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


class _Placer:
    """Keeps the boards of all shapes: each learns of placements when its shape arrives again."""

    def __init__(self, fleet: Fleet, policy: Policy) -> None:
        self._fleet = fleet
        self._policy = policy
        self._boards: dict[Task, Board] = {}
        self._scores: dict[Task, dict[int, int]] = {}
        self._numbers: dict[object, int] = {}
        self._state = [self._number(node) for node in range(len(fleet.machines))]
        self._log: list[int] = []

    def board(self, task: Task) -> Board:
        """The nodes with room for a task by score, as of now."""
        board = self._boards.get(task)
        if board is None:
            board = self._boards[task] = Board(len(self._state))
            self._scores[task] = {}
            changed: Iterable[int] = range(len(self._state))
        else:
            # Nothing leaves, so a node without room for a shape never has any again.
            scores = board.score
            changed = [node for node in set(self._log[board.seen :]) if scores[node] >= 0]
        able = set(self._fleet.holding(task, changed))
        known, states = self._scores[task], self._state
        for node in changed:
            if node not in able:
                board.put(node, -1)
                continue
            score = known.get(states[node])
            if score is None:
                score = known[states[node]] = self._policy.score(task, self._fleet, node)
            if score != board.score[node]:
                board.put(node, score)
        board.seen = len(self._log)
        return board

    def place(self, node: int, task: Task, gpu: int) -> None:
        """A task begins to run on a node."""
        self._fleet.place(node, task, gpu)
        self._state[node] = self._number(node)
        self._log.append(node)

    def _number(self, node: int) -> int:
        state = self._policy.state(self._fleet, node)
        return self._numbers.setdefault(state, len(self._numbers))
