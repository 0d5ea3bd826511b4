"""Scores, worked out by hand from the formulas of the authors' plugins and of kube-scheduler."""

import pytest

from benchmarks.openb.doubles import Doubles
from benchmarks.openb.fleet import Fleet
from benchmarks.openb.gorand import GoRand
from benchmarks.openb.gradient import Fragments, Gradient, by_demand, published
from benchmarks.openb.policies import PLAIN
from benchmarks.openb.trace import FULL, Machine, Task
from gpuspec.fleet.fragments import Metric

NODE = Machine(96_000, 384_000, 8, "G2")
WHOLE, PART, TWO = Task(12_000, 4096, 1, FULL), Task(6000, 4096, 1, 460), Task(8000, 4096, 2, FULL)
HOST_ONLY = Task(32_000, 8192, 0, 0)


def fleet(*placed: Task) -> Fleet:
    """One node on which tasks run; parts share the first GPU that holds them."""
    made = Fleet([NODE])
    for task in placed:
        left = made.left[0]
        gpu = next((i for i, free in enumerate(left) if free >= task.milli), -1)
        made.place(0, task, gpu)
    return made


@pytest.mark.parametrize(
    ("policy", "task", "placed", "score"),
    [
        # 100 × (1 - (84/128 + 7/8) / 2)
        ("BestFit", WHOLE, (), 23),
        # (96 - 12 - 6)/128 and (7000 - 460)/8000
        ("BestFit", PART, (WHOLE,), 28),
        # 100 × (1 - (96/128 × 12/128 + 8/8 × 1/8) / 2)
        ("DotProd", WHOLE, (), 90),
        ("GpuPacking", WHOLE, (), 25),
        ("GpuPacking", TWO, (WHOLE,), 48),
        ("GpuPacking", PART, (PART,), 95),
        ("GpuPacking", HOST_ONLY, (), 0),
        ("GpuClustering", WHOLE, (), 25),
        ("GpuClustering", WHOLE, (WHOLE,), 78),
        ("GpuClustering", WHOLE, (WHOLE, PART), 54),
        ("GpuClustering", TWO, (WHOLE,), 3),
        ("GpuClustering", HOST_ONLY, (WHOLE,), 0),
        ("Random", WHOLE, (WHOLE,), 0),
        # least: (87 + 98) / 2; balanced: 100 × (1 - (379904/384000 - 84/96) / 2)
        ("DefaultScheduler", WHOLE, (), 92 + 94),
        # (5 × 12 + 12 + 1) / 7
        ("MostAllocated", WHOLE, (), 10),
    ],
)
def test_scores(policy: str, task: Task, placed: tuple[Task, ...], score: int) -> None:
    assert PLAIN[policy]().score(task, fleet(*placed), 0) == score


def test_a_part_goes_to_the_fullest_gpu_that_holds_it() -> None:
    made = fleet(PART, WHOLE._replace(milli=700))
    assert made.left[0][:3] == [540, 300, 1000]
    assert PLAIN["BestFit"]().gpu(PART, made, 0, GoRand(1)) == 0
    assert PLAIN["BestFit"]().gpu(PART._replace(milli=300), made, 0, GoRand(1)) == 1
    drawn = {PLAIN["Random"]().gpu(PART, made, 0, GoRand(seed)) for seed in range(50)}
    assert drawn == {0, 2, 3, 4, 5, 6, 7}


TASKS = [WHOLE] * 60 + [PART] * 25 + [HOST_ONLY] * 13 + [TWO] * 2


def test_published_classes_are_by_number_and_cover_95_percent() -> None:
    found = published(TASKS)
    assert [(one.count, one.weight) for one in found] == [(1, 60), (1, 25), (0, 13)]


def test_classes_by_demand_ask_for_gpus() -> None:
    found = by_demand(TASKS)
    assert [(one.count, one.milli, one.weight) for one in found] == [
        (1, 1000, 60_000),
        (1, 460, 11_500),
        (2, 1000, 4000),
    ]


def test_the_gradient_is_a_sigmoid_of_the_change() -> None:
    """Tasks without GPUs, 13 of 98, can use none: an empty node has 13/98 of 8 GPUs as fragment."""
    fragments = Fragments(Metric(published(TASKS)))
    made = fleet()
    assert fragments.node(made, 0) == 13 * 8000
    gradient = Gradient(fragments)
    # 13/98 of a GPU is no fragment any more: 100 / (1 + e^-0.1327)
    assert gradient.score(WHOLE, made, 0) == 53
    # (13 × 460 - 60 × 540) / 98 thousandths
    assert gradient.score(PART, made, 0) == 43
    assert gradient.score(HOST_ONLY, made, 0) == 50


def test_in_doubles_the_fragment_is_the_same_but_for_its_last_bits() -> None:
    exact, doubles = Fragments(Metric(published(TASKS))), Doubles(TASKS)
    for cpu in (0, 6000, 12_000, 32_000):
        for left in ((), (0, 0), (230, 540, 1000), (1000,) * 8):
            for model in ("G2", "T4"):
                found = doubles.of(model, cpu, left) / doubles.scale
                assert found == pytest.approx(exact.of(model, cpu, left) / exact.scale)


def test_doubles_know_models() -> None:
    """Half of the tasks may run on G3 only: to them all of another node is fragment."""
    doubles = Doubles([WHOLE, WHOLE._replace(models=frozenset({"G3"}))])
    assert doubles.of("G2", 96_000, (1000,) * 8) == 4000
    assert doubles.of("G3", 96_000, (1000,) * 8) == 0


def test_the_last_bits_decide_of_a_node_that_loses_nothing() -> None:
    """No class fits before or after, and exactly the score is 50; in doubles, with other sums, 49."""
    tasks = [WHOLE] * 6 + [PART] * 7 + [HOST_ONLY] * 2 + [TWO] * 4
    made = Fleet([Machine(40_000, 384_000, 8, "G2")])
    for gpu in range(8):
        made.place(0, Task(0, 0, 1, 700), gpu)
    small = HOST_ONLY._replace(cpu=30_000)
    assert Gradient(Fragments(Metric(published(tasks)))).score(small, made, 0) == 50
    assert Gradient(Doubles(tasks)).score(small, made, 0) == 49


def test_the_gradient_sees_the_cpu_that_a_task_takes() -> None:
    """With its last cores the node loses its other seven GPUs to all classes."""
    gradient = Gradient(Fragments(Metric(by_demand(TASKS))))
    made = fleet(WHOLE._replace(cpu=84_000))
    assert made.cpu[0] == 12_000
    assert gradient.score(WHOLE, made, 0) == 0
    assert gradient.score(WHOLE, fleet(), 0) == 50


def test_the_gradient_puts_a_part_where_it_fills_a_gpu() -> None:
    gradient = Gradient(Fragments(Metric(by_demand(TASKS))))
    made = fleet(WHOLE, PART)
    assert made.left[0][:3] == [0, 540, 1000]
    assert gradient.gpu(PART, made, 0, GoRand(1)) == 1
