"""The published policies, and scorers of kube-scheduler: which node, and which of its GPUs.

Scores are whole numbers from 0 to 100, as the authors' simulator and kube-scheduler round them:
that most nodes share their score with others is part of what is being replayed. Sources:
hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin; kubernetes/kubernetes,
pkg/scheduler/framework/plugins/noderesources.
"""

from collections.abc import Callable, Hashable

from benchmarks.openb.fleet import Fleet, kind_of
from benchmarks.openb.gorand import GoRand
from benchmarks.openb.trace import FULL, Task

TOP = 100
_MAX_CPU, _MAX_GPU = 128_000, 8_000


class Policy:
    """Scores a node by what is left of it; a part of a GPU goes to the fullest that holds it."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        """What the score depends on; nodes with the same have the same scores."""
        return fleet.cpu[node], tuple(sorted(fleet.left[node]))

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        """From 0 to 100, for a node that has room."""
        raise NotImplementedError

    def gpu(self, task: Task, fleet: Fleet, node: int, random: GoRand) -> int:
        """The GPU for a part of one."""
        left = fleet.left[node]
        return min(
            (index for index, free in enumerate(left) if free >= task.milli),
            key=lambda index: left[index],
        )


class Anywhere(Policy):
    """Any node with room and any of its GPUs."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        return None

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        return 0

    def gpu(self, task: Task, fleet: Fleet, node: int, random: GoRand) -> int:
        able = [index for index, free in enumerate(fleet.left[node]) if free >= task.milli]
        return able[random.intn(len(able))]


class DotProduct(Policy):
    """The least product of what is asked and what is free: CPU, and all GPUs as one."""

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        product = fleet.cpu[node] / _MAX_CPU * (task.cpu / _MAX_CPU)
        product += sum(fleet.left[node]) / _MAX_GPU * (task.demand / _MAX_GPU)
        return int(TOP * (1 - product / 2))


class BestFit(Policy):
    """The least that is left afterwards: CPU, and all GPUs as one."""

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        rest = (fleet.cpu[node] - task.cpu) / _MAX_CPU * 0.5
        rest += (sum(fleet.left[node]) - task.demand) / _MAX_GPU * 0.5
        return int((1 - rest) * TOP)


class Packing(Policy):
    """GPUs in use before idle ones, nodes in use before empty ones, small ones before large."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        return tuple(sorted(fleet.left[node]))

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        if not task.gpus:
            return 0
        left, idle = sorted(fleet.left[node]), fleet.idle[node]
        if idle == len(left):
            return max(TOP // 3 - idle, idle)
        chosen = [free for free in left if free >= task.milli][: task.gpus]
        fresh = chosen.count(FULL)
        if fresh:
            return max(TOP // 2 - fresh, TOP // 3)
        return max(TOP - sum(free * 100 // FULL for free in chosen) // 10, TOP // 2)


class Clustering(Policy):
    """Tasks with the same number of GPUs together, on fuller nodes first."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        return sum(fleet.left[node]), frozenset(fleet.kinds[node])

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        if not task.gpus:
            return 0
        kinds = fleet.kinds[node]
        if not kinds:
            base = 25
        elif kind_of(task) not in kinds:
            base = 0
        else:
            base = 75 if len(kinds) == 1 else 50
        return 25 * (_MAX_GPU - sum(fleet.left[node])) // _MAX_GPU + base


class DefaultScheduler(Policy):
    """kube-scheduler as installed: least allocated and balanced, CPU and memory, no GPUs."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        return fleet.cpu[node], fleet.memory[node], fleet.machines[node]

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        whole = fleet.machines[node]
        cpu, memory = fleet.cpu[node] - task.cpu, fleet.memory[node] - task.memory
        least = (cpu * TOP // whole.cpu + memory * TOP // whole.memory) // 2
        apart = abs(cpu / whole.cpu - memory / whole.memory) / 2
        return least + int((1 - apart) * TOP)


class MostAllocated(Policy):
    """kube-scheduler told to pack: most allocated, GPUs five times as much as CPU and memory."""

    def state(self, fleet: Fleet, node: int) -> Hashable:
        return fleet.cpu[node], fleet.memory[node], sum(fleet.left[node]), fleet.machines[node]

    def score(self, task: Task, fleet: Fleet, node: int) -> int:
        whole = fleet.machines[node]
        cpu = (whole.cpu - fleet.cpu[node] + task.cpu) * TOP // whole.cpu
        memory = (whole.memory - fleet.memory[node] + task.memory) * TOP // whole.memory
        gpus = whole.gpus * FULL
        gpu = (gpus - sum(fleet.left[node]) + task.demand) * TOP // gpus
        return (5 * gpu + cpu + memory) // 7


PLAIN: dict[str, Callable[[], Policy]] = {
    "Random": Anywhere,
    "DotProd": DotProduct,
    "GpuClustering": Clustering,
    "GpuPacking": Packing,
    "BestFit": BestFit,
    "DefaultScheduler": DefaultScheduler,
    "MostAllocated": MostAllocated,
}
