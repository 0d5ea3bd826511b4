"""Whether taking pods away frees one node, and which pods."""

from typing import Any

from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.preemption import Candidate, Preemption, preempt
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import HOSTNAME, REQUIRED, fleet, node, shape


def made(snapshot: Snapshot, gpus: int = 4, priority: int = 10, **more: Any) -> Preemption:
    verdict = feasible(shape(gpus, priority=priority, **more), snapshot)
    assert not verdict.fits
    return preempt(verdict, snapshot)


def names(candidate: Candidate) -> list[str]:
    return [pod.name for pod in candidate.victims]


def test_victims_on_two_nodes_free_none() -> None:
    low = shape(2)
    high = shape(2, priority=10)
    snapshot = fleet(node("a"), node("b"), pods=[("a", low), ("a", high), ("b", low), ("b", high)])
    found = made(snapshot)
    assert not found.helps
    assert found.counts() == {"Insufficient nvidia.com/gpu": 2}


def test_no_more_pods_go_than_must() -> None:
    low, lower = shape(1, priority=2), shape(2, priority=1)
    snapshot = fleet(node("a"), pods=[("a", lower), ("a", low), ("a", low)])
    (one,) = made(snapshot, gpus=2).candidates
    assert names(one) == ["pod-0"]


def test_of_equals_the_one_that_has_run_longest_stays() -> None:
    snapshot = fleet(node("a"))
    for name, started in (("young", "2026-02-01T00:00:00Z"), ("old", "2026-01-01T00:00:00Z")):
        snapshot.add(0, RunningPod(name, shape(2), started=started))
    (one,) = made(snapshot, gpus=2).candidates
    assert names(one) == ["young"]


def test_the_best_node_has_the_least_important_victims() -> None:
    snapshot = fleet(
        node("a"),
        node("b"),
        node("c"),
        pods=[
            ("a", shape(4, priority=3)),
            ("b", shape(2, priority=1)),
            ("b", shape(2, priority=1)),
            ("c", shape(4, priority=1)),
        ],
    )
    found = made(snapshot)
    assert [one.node for one in found.candidates] == [2, 1, 0]
    assert found.best == 1


def test_nodes_that_are_equally_good() -> None:
    low = shape(4)
    found = made(fleet(node("a"), node("b"), pods=[("a", low), ("b", low)]))
    assert found.best == 2


def test_pods_that_never_preempt() -> None:
    snapshot = fleet(node("a"), pods=[("a", shape(4))])
    found = made(snapshot, preemptionPolicy="Never")
    assert found.never
    assert not found.helps


def test_what_no_removal_mends_is_not_tried() -> None:
    snapshot = fleet(node("a", unschedulable=True), node("b"), pods=[("a", shape(4))])
    found = made(snapshot, gpus=8)
    assert found.counts() == {"Preemption is not helpful for scheduling": 2}


def test_a_pod_that_keeps_others_away_can_be_a_victim() -> None:
    term = {"topologyKey": HOSTNAME, "labelSelector": {}}
    jealous = shape(affinity={"podAntiAffinity": {REQUIRED: [term]}})
    snapshot = fleet(node("a"), pods=[("a", jealous), ("a", shape(1))])
    (one,) = made(snapshot, gpus=1).candidates
    assert names(one) == ["pod-0"]


def test_nothing_has_changed_afterwards() -> None:
    term = {"topologyKey": HOSTNAME, "labelSelector": {}}
    jealous = shape(1, affinity={"podAntiAffinity": {REQUIRED: [term]}})
    snapshot = fleet(node("a"), node("b"), pods=[("a", jealous), ("b", shape(4))])
    pod = shape(2, priority=10)
    filter_chain = FilterChain(pod, snapshot)
    before = feasible(pod, snapshot, filter_chain)
    assert preempt(before, snapshot, filter_chain).helps
    assert feasible(pod, snapshot, filter_chain).refusals == before.refusals
    assert snapshot.used[0] == {"pods": 1, "nvidia.com/gpu": 1}
