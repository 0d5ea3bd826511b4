"""The nodes during a replay, and of each shape of task which nodes suit it how well."""

from collections.abc import Iterable, Sequence

from benchmarks.openb.gorand import GoRand
from benchmarks.openb.trace import FULL, Machine, Task


class Fleet:
    """What is left of each node. Only grows fuller: nothing leaves."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.machines = tuple(machines)
        self.cpu = [one.cpu for one in machines]
        self.memory = [one.memory for one in machines]
        self.left = [[FULL] * one.gpus for one in machines]
        """Of each GPU."""
        self.idle = [one.gpus for one in machines]
        """GPUs that nothing runs on."""
        self.most = [FULL if one.gpus else 0 for one in machines]
        """What the emptiest GPU has left."""
        self.kinds: list[dict[str, int]] = [{} for _ in machines]
        """GPU tasks by how many GPUs they have."""
        self.taken: set[int] = set()
        """Nodes with a task that is to be apart from its like."""

    def holding(self, task: Task, nodes: Iterable[int]) -> list[int]:
        """Of these nodes those with room for a task: CPU, memory, GPUs and their model."""
        cpu, memory = self.cpu, self.memory
        found = [one for one in nodes if cpu[one] >= task.cpu and memory[one] >= task.memory]
        if task.gpus:
            have, least = (self.idle, task.gpus) if task.milli == FULL else (self.most, task.milli)
            found = [one for one in found if have[one] >= least]
        if task.models:
            found = [one for one in found if self.machines[one].model in task.models]
        if task.apart:
            found = [one for one in found if one not in self.taken]
        return found

    def place(self, node: int, task: Task, gpu: int) -> None:
        """A task begins to run; a part of a GPU on that one, whole ones on the first idle."""
        self.cpu[node] -= task.cpu
        self.memory[node] -= task.memory
        if task.apart:
            self.taken.add(node)
        if not task.gpus:
            return
        left = self.left[node]
        if task.milli == FULL:
            chosen = [index for index, free in enumerate(left) if free == FULL][: task.gpus]
        else:
            chosen = [gpu]
        for index in chosen:
            left[index] -= task.milli
        self.idle[node] = left.count(FULL)
        self.most[node] = max(left)
        kind = kind_of(task)
        self.kinds[node][kind] = self.kinds[node].get(kind, 0) + 1


def kind_of(task: Task) -> str:
    """Tasks by how many GPUs they have, as the clustering policy tells them apart."""
    return "share" if task.milli < FULL else str(task.gpus)


class Board:
    """For one shape of task, the nodes with room for it by score."""

    def __init__(self, nodes: int) -> None:
        self.seen = 0
        """How many placements it knows of."""
        self.score = [-1] * nodes
        """By node; -1 for ever once there is no room."""
        self._at = [0] * nodes
        self._ranks: dict[int, list[int]] = {}

    def put(self, node: int, score: int) -> None:
        """A node has another score, or with -1 no room any more."""
        old = self.score[node]
        if old == score:
            return
        self.score[node] = score
        at = self._at
        if old >= 0:
            rank = self._ranks[old]
            last = rank.pop()
            if last != node:
                rank[at[node]] = last
                at[last] = at[node]
            if not rank:
                del self._ranks[old]
        if score >= 0:
            rank = self._ranks.setdefault(score, [])
            at[node] = len(rank)
            rank.append(node)

    def first(self) -> int:
        """Of the nodes with the highest score the one whose name is first; -1 where there is none."""
        return min(self._ranks[max(self._ranks)]) if self._ranks else -1

    def any(self, random: GoRand) -> int:
        """Any of the nodes with the highest score, all equally likely; -1 where there is none."""
        if not self._ranks:
            return -1
        rank = self._ranks[max(self._ranks)]
        return rank[random.intn(len(rank))]
