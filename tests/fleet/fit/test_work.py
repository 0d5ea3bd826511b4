"""The work of a fit grows as its input does: pods that are all different, nodes in as many states."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from gpuspec import hardware
from gpuspec.fleet.fit import Ledger, Order, PodDemand, fit
from gpuspec.fleet.nodes import FleetNode, gpus
from gpuspec.fleet.scheduler.shape import shape_of
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot

MODEL, GPU = hardware.model("H100-80GB"), "nvidia.com/gpu"
MOST = 11
"""Times as much for ten times the input."""


def nodes(count: int) -> list[FleetNode]:
    have = {"cpu": 192_000, "memory": 2000 << 30, "pods": 110, GPU: 8}
    inside = gpus(MODEL, 8, GPU, None)
    return [
        FleetNode(f"n{at}", {"kubernetes.io/hostname": f"n{at}"}, have, gpus=inside, group="all")
        for at in range(count)
    ]


def demand(number: int, each: int) -> PodDemand:
    asked = {"cpu": f"{8000 + number}m", "memory": f"{50_000 + number}Mi", GPU: str(each)}
    spec = {"containers": [{"resources": {"requests": asked, "limits": asked}}]}
    shape = shape_of(spec, labels={"app": f"w{number}"})
    return PodDemand(f"w{number}", "ml", "Deployment", "pod", None, shape, 1, 1, each)


def full(count: int) -> Snapshot:
    """Nodes whose GPUs are all in use, of each of which another amount of CPU is."""
    snapshot = Snapshot(nodes(count))
    for at in range(count):
        asked = {"cpu": f"{8000 + at}m", GPU: "8"}
        spec = {"containers": [{"resources": {"requests": asked, "limits": asked}}]}
        snapshot.add(at, RunningPod(f"p{at}", shape_of(spec)))
    return snapshot


def calls(pods: int, on: int | Snapshot, each: int = 1) -> int:
    """Calls of functions, the package's and Python's own, while so many pods are placed."""
    demands = [demand(at, each) for at in range(pods)]
    snapshot = Snapshot(nodes(on)) if isinstance(on, int) else on
    order = Order("any", "1.37", seeds=2)
    seen: Counter[str] = Counter()

    def count_call(frame: Any, event: str, arg: Any) -> None:
        seen[event] += 1

    sys.setprofile(count_call)
    try:
        fit(snapshot, demands, Ledger, order)
    finally:
        sys.setprofile(None)
    return seen["call"] + seen["c_call"]


def test_ten_times_the_pods_are_ten_times_the_work() -> None:
    assert calls(300, 400) <= MOST * calls(30, 400)


def test_ten_times_the_nodes_are_no_more_than_ten_times_the_work() -> None:
    assert calls(60, 1000) <= MOST * calls(60, 100)


def test_pods_that_find_no_room_are_no_more_work_each_the_more_there_are() -> None:
    assert calls(300, 30, each=8) <= MOST * calls(30, 30, each=8)


def test_a_pod_that_no_node_takes_is_the_same_work_on_any_number_of_nodes_alike() -> None:
    def each(count: int) -> int:
        return calls(20, count, each=9) - calls(10, count, each=9)

    assert each(2000) <= 2 * each(20)


def test_a_pod_that_waits_is_the_same_work_on_any_number_of_nodes_none_of_which_are_alike() -> None:
    def each(count: int) -> int:
        # As many that the first are told of as classes.
        return calls(40, full(count)) - calls(30, full(count))

    assert each(500) <= 2 * each(20)
