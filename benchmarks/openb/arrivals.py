"""The protocol: who arrives in which order, up to 130 % of the fleet's GPUs, and the nodes' names.

All of it is drawn from one stream, Go's own, as the authors' simulator draws it: so seeds 42 to 51
give their permutations, of tasks and of nodes alike. The trace tells all that this needs.
"""

from collections.abc import Sequence

from benchmarks.openb.gorand import GoRand
from benchmarks.openb.trace import FULL, Machine, Task

LIMIT = 130  # percent of the fleet's GPUs that arrive in all

# Between arrivals and names the simulator starts kube-scheduler 1.20, whose client draws the timeout
# of each watch: Pods, Nodes, CSINodes, PersistentVolumes and their claims, Services,
# PodDisruptionBudgets, ReplicationControllers, ReplicaSets, StatefulSets. (The one of StorageClasses
# has begun before the seed is set.)
_WATCHES = 10


def drawn(
    tasks: Sequence[Task], machines: Sequence[Machine], seed: int
) -> tuple[list[Task], list[Machine], GoRand]:
    """Tasks as they arrive, nodes by name, and the stream for what is drawn afterwards.

    `tasks` and `machines` are in the order of the trace's names.
    """
    random = GoRand(seed)
    random.int63()  # one goes to the log
    line = arrivals(tasks, machines, random)
    for _ in range(_WATCHES):
        random.int63()
    return line, named(machines, random), random


def arrivals(tasks: Sequence[Task], machines: Sequence[Machine], random: GoRand) -> list[Task]:
    """The tasks shuffled, then random copies of them until one would be above the limit.

    A trace that is above it already loses random tasks until it is not. As the authors' simulator
    does, the last copy is held against the limit with one of its GPUs only. Some task has to ask
    for GPUs.
    """
    capacity = sum(one.gpus for one in machines) * FULL
    line = list(tasks)
    random.shuffle(line)
    total = sum(one.demand for one in line)
    if total * 100 >= LIMIT * capacity:
        while total * 100 > LIMIT * capacity:
            total -= line.pop(random.intn(len(line))).demand
        return line
    while True:
        one = tasks[random.intn(len(tasks))]
        if (total + one.milli) * 100 > LIMIT * capacity:
            return line
        total += one.demand
        line.append(one)


def named(machines: Sequence[Machine], random: GoRand) -> list[Machine]:
    """The nodes by name: each name begins with its number in a random permutation."""
    numbers = random.perm(len(machines))
    order = sorted(range(len(machines)), key=numbers.__getitem__)
    return [machines[index] for index in order]
