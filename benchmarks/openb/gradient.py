"""Fragmentation gradient descent: the node that loses least room for the classes of work."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from math import exp
from typing import Protocol

from benchmarks.openb.fleet import Fleet
from benchmarks.openb.gorand import GoRand
from benchmarks.openb.policies import TOP, Policy
from benchmarks.openb.trace import FULL, Task
from gpuspec.fleet.fragments import Class, Metric, State, common

GPU = "gpu"
_PUBLISHED_PERCENT = 95


def published(tasks: Iterable[Task]) -> tuple[Class, ...]:
    """The classes of the paper's figures: by number of tasks, those without GPUs among them."""
    counts = Counter(_shape(one) for one in tasks)
    ranked = sorted(counts, key=lambda one: (counts[one], *_order(one)), reverse=True)
    return common((_class(one, counts[one]) for one in ranked), _PUBLISHED_PERCENT)


def by_demand(tasks: Iterable[Task]) -> tuple[Class, ...]:
    """The classes of gpuspec: by GPUs asked for, and none without."""
    counts = Counter(_shape(one) for one in tasks if one.gpus)
    ranked = sorted(counts, key=_order)
    return common(_class(one, counts[one] * one.demand) for one in ranked)


def _shape(task: Task) -> Task:
    """The metric of the paper does not look at memory."""
    return task._replace(memory=0, apart=False)


def _order(task: Task) -> tuple[int, int, int, str]:
    return task.cpu, task.milli, task.gpus, "|".join(sorted(task.models))


def _class(task: Task, weight: int) -> Class:
    return Class(
        name=f"{task.cpu}m {task.gpus}x{task.milli}",
        device=GPU,
        count=task.gpus,
        weight=weight,
        milli=task.milli,
        requests={"cpu": task.cpu},
        kinds=task.models or None,
    )


class Amounts(Protocol):
    """What tells how much of a node is fragment; `scale` of it is one GPU."""

    @property
    def scale(self) -> float: ...

    def of(self, model: str, cpu: int, left: tuple[int, ...]) -> float: ...


class Fragments:
    """Expected fragment of nodes of the trace, times the weight of all classes: exact."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.scale = float(metric.weight * FULL)
        self._found: dict[tuple[str, int, tuple[int, ...]], int] = {}

    def of(self, model: str, cpu: int, left: tuple[int, ...]) -> int:
        """The fragment of one node; `left` ascending."""
        key = (model, cpu, left)
        found = self._found.get(key)
        if found is None:
            found = self.metric.amount(State(model, {"cpu": cpu}, {GPU: left}))
            self._found[key] = found
        return found

    def node(self, fleet: Fleet, node: int) -> int:
        """The fragment of a node as it is."""
        left = tuple(sorted(fleet.left[node]))
        return self.of(fleet.machines[node].model, fleet.cpu[node], left)


class Gradient(Policy):
    """Scores by how much the expected fragment of a node grows, the less the better.

    The score is the authors': a sigmoid of the change in GPUs, in hundredths, rounded down. One
    step of it is some 40 thousandths of a GPU.
    """

    def __init__(self, amounts: Amounts) -> None:
        self._of = amounts.of
        self._scale = amounts.scale

    def state(self, fleet: Fleet, node: int) -> Hashable:
        left = tuple(sorted(fleet.left[node]))
        return fleet.machines[node].model, fleet.cpu[node], left

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        left = sorted(fleet.left[node])
        model, cpu = fleet.machines[node].model, fleet.cpu[node]
        before = self._of(model, cpu, tuple(left))
        if task.gpus != 1 or task.milli == FULL:
            rest = left[: len(left) - task.gpus] + [0] * task.gpus if task.gpus else left
            return self._rate(before - self._of(model, cpu - task.cpu, tuple(sorted(rest))))
        return max(
            self._rate(before - self._after(model, cpu - task.cpu, left, free, task.milli))
            for free in set(left)
            if free >= task.milli
        )

    def gpu(self, task: Task, fleet: Fleet, node: int, random: GoRand) -> int:
        left = fleet.left[node]
        model, cpu = fleet.machines[node].model, fleet.cpu[node]
        before = self._of(model, cpu, tuple(sorted(left)))
        rates = {
            free: self._rate(before - self._after(model, cpu - task.cpu, left, free, task.milli))
            for free in set(left)
            if free >= task.milli
        }
        return max(
            (index for index, free in enumerate(left) if free >= task.milli),
            key=lambda index: rates[left[index]],
        )

    def _after(self, model: str, cpu: int, left: Sequence[int], free: int, milli: int) -> float:
        rest = list(left)
        rest[rest.index(free)] -= milli
        rest.sort()
        return self._of(model, cpu, tuple(rest))

    def _rate(self, gain: float) -> int:
        return int(1 / (1 + exp(-gain / self._scale)) * TOP)
