"""Slots of a class on a node, and what bounds them; idle devices of no use, and what they lack."""

from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.fleet.fragments import Class, Metric, SlotBound, State, Strand, bound, slots, stranded

GPU = "nvidia.com/gpu"
HCA: dict[str, Any] = {"rdma/hca": 1}


def node(idle: tuple[int, ...] = (1000,) * 8, kind: str = "a", **free: int) -> State:
    return State(kind, {"cpu": 96_000, "memory": 800, **free}, {GPU: idle})


def of(
    count: int = 1,
    milli: int | None = None,
    weight: int = 1,
    kinds: frozenset[str] | None = None,
    **asked: int,
) -> Class:
    return Class("one", GPU, count, weight, milli, asked, kinds)


@pytest.mark.parametrize(
    ("one", "answer"),
    [
        (of(1), SlotBound(8, GPU)),
        (of(3), SlotBound(2, GPU)),
        (of(1, cpu=32_000), SlotBound(3, "cpu")),
        (of(1, cpu=12_000), SlotBound(8, GPU)),
        (of(1, cpu=32_000, memory=300), SlotBound(2, "memory")),
        (of(1, **HCA), SlotBound(0, "rdma/hca")),
        (of(1, kinds=frozenset("b")), SlotBound(0, None)),
        (of(0, cpu=40_000), SlotBound(2, "cpu")),
    ],
)
def test_slots_and_what_bounds_them(one: Class, answer: SlotBound) -> None:
    assert bound(node(), one) == answer


def test_pod_slots_bound_where_they_are_counted() -> None:
    assert bound(node(pods=2), of(1)) == SlotBound(2, "pods")


def test_ephemeral_storage_bounds_where_it_is_first() -> None:
    left: dict[str, Any] = {"ephemeral-storage": 100}
    asked: dict[str, Any] = {"ephemeral-storage": 40}
    assert bound(node(**left), of(1, **asked)) == SlotBound(2, "ephemeral-storage")


def test_a_class_that_asks_for_nothing_is_bounded_by_nothing() -> None:
    assert bound(State("a", {}, {}), of(0)) == SlotBound(0, None)


@cache
def packed(parts: tuple[int, ...], count: int) -> int:
    """The most pods with `count` parts on different GPUs, by trying everything."""
    best = 0
    for chosen in combinations(range(len(parts)), count):
        if all(parts[index] for index in chosen):
            rest = tuple(left - (index in chosen) for index, left in enumerate(parts))
            best = max(best, 1 + packed(rest, count))
    return best


@given(st.lists(st.integers(0, 2), max_size=4).map(tuple), st.integers(1, 3))
def test_parts_of_several_gpus_are_counted_exactly(parts: tuple[int, ...], count: int) -> None:
    idle = tuple(300 * number + 50 for number in parts)
    assert slots(State("a", {}, {GPU: idle}), of(count, milli=300)) == packed(parts, count)


def test_gpus_without_cpu_are_stranded_by_it() -> None:
    """Five GPUs beside three pods of 32 cores."""
    state = node(idle=(1000,) * 5, cpu=0)
    assert stranded(state, Metric([of(1, cpu=4000)])) == (Strand(GPU, 1000, 5, "cpu"),)


def test_too_few_gpus_lack_gpus() -> None:
    state = node(idle=(1000, 1000))
    assert stranded(state, Metric([of(4), of(8)])) == (Strand(GPU, 1000, 2, GPU),)
    assert stranded(state, Metric([of(4), of(2)])) == ()


def test_rests_of_gpus_that_no_part_fits_in() -> None:
    state = node(idle=(1000, 500, 400, 400, 100, 0))
    assert stranded(state, Metric([of(1, milli=500)])) == (
        Strand(GPU, 400, 2, GPU),
        Strand(GPU, 100, 1, GPU),
    )
    assert stranded(state, Metric([of(1, milli=500)]))[0].milli == 800


def test_slices_that_nobody_wants_lack_nothing() -> None:
    state = State("a", {"cpu": 4000}, {"nvidia.com/mig-1g.10gb": (125,), GPU: (1000,)})
    assert stranded(state, Metric([of(1)])) == (Strand("nvidia.com/mig-1g.10gb", 125, 1, None),)
    assert stranded(node(kind="b"), Metric([of(1, kinds=frozenset("a"))])) == (
        Strand(GPU, 1000, 8, None),
    )


def test_what_would_serve_most_demand_is_named() -> None:
    state = node(cpu=0, memory=10, pods=3)
    cpu, memory, both = of(1, cpu=1, weight=5), of(1, memory=20, weight=9), of(1, cpu=1, memory=20)
    (only,) = stranded(state, Metric([cpu, memory, both]))
    assert only.resource == "memory"
    far = of(1, memory=20, weight=9, **HCA)
    (only,) = stranded(state, Metric([cpu, far]))
    assert only.resource == "cpu"
    (only,) = stranded(state, Metric([cpu, both]))
    assert only.resource == "cpu"
    (only,) = stranded(node(cpu=0, memory=0, pods=0), Metric([both]))
    assert only.resource == "cpu"
