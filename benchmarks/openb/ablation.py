"""`make openb-ablation`: what one shape of pod costs the fleet, and so how loud a finding may be.

A fifth of the GPUs that `default` asks for are asked for in one shape instead, the rest as before.
Then a fleet of eight-GPU nodes with nothing that fills the rests: half of the demand are pods of
eight GPUs, half are one shape. Prints both tables and writes build/openb-ablation.json.
"""

import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.openb.replay import Outcome, Ties, replay
from benchmarks.openb.runs import BUILD, SEEDS, data, run_all
from benchmarks.openb.tables import by_shape
from benchmarks.openb.trace import FULL, Machine, Task, machines, tasks

METHODS: tuple[tuple[str, Ties], ...] = (
    ("FGD by demand", "random"),
    ("BestFit", "random"),
    ("MostAllocated", "random"),
    ("DefaultScheduler", "random"),
)
_SEEDS = SEEDS[:3]
_LARGE = 8
_GIB = 1024
# Beside one GPU: just below the share of the trace's commonest node, of 12 cores and 48 GiB.
_CPU, _MEMORY = 11_000, 44 * _GIB


class Shape(NamedTuple):
    """One row: a shape, and which percent of demand it replaces."""

    name: str
    task: Task | None
    percent: int = 20


def _whole(
    gpus: int,
    *,
    cpu: float = 1,
    memory: float = 1,
    models: frozenset[str] = frozenset(),
    apart: bool = False,
) -> Task:
    """Whole GPUs; CPU and memory in shares of them."""
    return Task(round(_CPU * gpus * cpu), round(_MEMORY * gpus * memory), gpus, FULL, models, apart)


def _part(milli: int) -> Task:
    """A part of a GPU, with the same part of its share rounded to whole cores."""
    cores = max(1, round(milli * 12 / FULL))
    return Task(cores * 1000, cores * 4 * _GIB, 1, milli)


SHAPES = (
    Shape("the mix as it is", None),
    Shape("1 GPU", _whole(1)),
    *(Shape(f"{gpus} GPUs", _whole(gpus)) for gpus in range(2, 9)),
    Shape("1 GPU, 1.25 × CPU of a node's share", _whole(1, cpu=15 / 11)),
    Shape("1 GPU, 1.5 × CPU", _whole(1, cpu=18 / 11)),
    Shape("1 GPU, 2 × CPU", _whole(1, cpu=24 / 11)),
    Shape("1 GPU, 4 × CPU", _whole(1, cpu=48 / 11)),
    Shape("1 GPU, 1.5 × memory", _whole(1, memory=72 / 44)),
    Shape("1 GPU, 2 × memory", _whole(1, memory=96 / 44)),
    Shape("1 GPU, 4 × memory", _whole(1, memory=192 / 44)),
    *(
        Shape(f"{milli / FULL:g} GPU", _part(milli))
        for milli in (250, 300, 340, 400, 450, 500, 510, 600, 700, 800, 900)
    ),
    Shape("1 GPU, each on another node", _whole(1, apart=True), 10),
    Shape("1 GPU of model G3", _whole(1, models=frozenset({"G3"})), 5),
    Shape("1 GPU of model T4", _whole(1, models=frozenset({"T4"})), 10),
)


class Job(NamedTuple):
    """One replay with a shape among its tasks, or with nothing that fills rests."""

    folder: Path
    shape: Shape
    filled: bool
    policy: str
    ties: Ties
    seed: int


def mixed(base: Sequence[Task], shape: Shape, random: Random) -> tuple[Task, ...]:
    """Tasks of which random ones that ask for GPUs have given way to the shape."""
    if shape.task is None:
        return tuple(base)
    total = sum(one.demand for one in base)
    rest = list(base)
    random.shuffle(rest)
    leave = total * shape.percent // 100
    kept: list[Task] = []
    for one in rest:
        if one.demand and leave > 0:
            leave -= one.demand
        else:
            kept.append(one)
    number = total * shape.percent // (100 * shape.task.demand)
    return (*kept, *([shape.task] * number))


def unfilled(fleet: Sequence[Machine], task: Task) -> tuple[Task, ...]:
    """Half of what the fleet has is asked for by pods of eight GPUs, half in one shape."""
    half = sum(one.gpus for one in fleet) * FULL // 2
    large = _whole(_LARGE)
    return (*([large] * (half // large.demand)), *([task] * (half // task.demand)))


def main(arguments: list[str]) -> None:
    folder, _ = data(arguments)
    rows: list[tuple[Shape, bool]] = [(shape, True) for shape in SHAPES]
    rows += [(Shape(shape.name, shape.task, 50), False) for shape in SHAPES[1:8]]
    jobs = [
        Job(folder, *row, *method, seed) for row in rows for method in METHODS for seed in _SEEDS
    ]
    found = run_all(_run, jobs)
    made: list[dict[str, str | float | bool]] = []
    for index in range(0, len(found), len(_SEEDS)):
        job, runs = jobs[index], found[index : index + len(_SEEDS)]
        made.append(
            {
                "shape": job.shape.name,
                "percent": job.shape.percent,
                "filled": job.filled,
                "policy": job.policy,
                "ties": job.ties,
                "unallocated": round(100 - statistics.mean(one.allocated for one in runs), 3),
                "sd": round(statistics.stdev(one.allocated for one in runs), 3),
                "whole": round(statistics.mean(one.whole for one in runs), 1),
            }
        )
    BUILD.mkdir(exist_ok=True)
    (BUILD / "openb-ablation.json").write_text(json.dumps(made, indent=1) + "\n")
    for filled in (True, False):
        print(by_shape([row for row in made if row["filled"] is filled]) + "\n")


def _run(job: Job) -> Outcome:
    fleet = machines(job.folder)
    if job.filled:
        line = mixed(tasks(job.folder, "default"), job.shape, Random(job.seed))
    else:
        assert job.shape.task is not None
        fleet = tuple(one for one in fleet if one.gpus == _LARGE and one.model in ("G2", "G3"))
        line = unfilled(fleet, job.shape.task)
    return replay(line, fleet, job.policy, job.ties, job.seed)


if __name__ == "__main__":
    main(sys.argv[1:])
