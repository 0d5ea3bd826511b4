"""The protocol: who arrives in which order, up to 130 % of the fleet's GPUs."""

from collections.abc import Sequence
from random import Random

from benchmarks.openb.trace import FULL, Machine, Task

LIMIT = 130  # percent of the fleet's GPUs that arrive in all


def arrivals(tasks: Sequence[Task], machines: Sequence[Machine], random: Random) -> list[Task]:
    """The tasks shuffled, then random copies of them until the next would be above the limit.

    A trace that is above it already loses random tasks until it is not. As the authors' simulator
    does, the last copy is held against the limit with one of its GPUs only.
    """
    capacity = sum(one.gpus for one in machines) * FULL
    line = list(tasks)
    random.shuffle(line)
    total = sum(one.demand for one in line)
    if total * 100 > LIMIT * capacity:
        while total * 100 > LIMIT * capacity:
            total -= line.pop(random.randrange(len(line))).demand
        return line
    while total * 100 < LIMIT * capacity:
        one = tasks[random.randrange(len(tasks))]
        if (total + one.milli) * 100 > LIMIT * capacity:
            break
        total += one.demand
        line.append(one)
    return line
