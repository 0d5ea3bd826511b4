"""What holds on any fleet."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gpuspec.fleet.nodes.node import FleetNode
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.shape import shape_of
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
from gpuspec.fleet.scheduler.status_message import filter_part
from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane import fleets, kinds
from tests.control_plane.fleets import World

SEEDS = st.integers(0, 10**6)


def any_fleet(seed: int) -> tuple[Random, World, dict[str, Any]]:
    """A random fleet, and a pod with several things that may keep it off nodes."""
    rng = Random(seed)
    made = fleets.world(rng, 0)
    pod = kinds.pod(rng, "pod", [node["metadata"]["name"] for node in made.nodes])
    for kind in rng.sample(sorted(kinds.KINDS), 3):
        how = kinds.KINDS[kind]
        if how.first:
            how.first(rng, pod, made.nodes)
        how.change(rng, pod, made.nodes)
    return rng, made, pod


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_each_node_takes_the_pod_or_says_why(seed: int) -> None:
    _, made, pod = any_fleet(seed)
    verdict = feasible(fleets.shape_in(pod), made.snapshot)
    assert verdict.total == len(made.nodes)
    if verdict.conflict is None:
        assert sorted((*verdict.nodes, *verdict.refusals)) == list(range(verdict.total))
        reasons = sum(len(refusal.reasons) for refusal in verdict.refusals.values())
        assert sum(verdict.counts().values()) == reasons
        for reason, many in verdict.counts().items():
            assert f"{many} {reason}" in filter_part(verdict, "1.37")


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_tolerating_more_loses_no_node(seed: int) -> None:
    _, made, pod = any_fleet(seed)
    # Domains that count are chosen by taints: more of them may hold a pod back.
    pod["spec"].pop("topologySpreadConstraints", None)
    before = feasible(fleets.shape_in(pod), made.snapshot)
    more = {"operator": "Exists"}
    pod["spec"]["tolerations"] = [*pod["spec"].get("tolerations", ()), more]
    after = feasible(fleets.shape_in(pod), made.snapshot)
    assert set(before.nodes) <= set(after.nodes)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_asking_for_more_wins_no_node(seed: int) -> None:
    _, made, pod = any_fleet(seed)
    before = feasible(fleets.shape_in(pod), made.snapshot)
    pod["spec"]["overhead"] = {"cpu": "20", "memory": "9Gi"}
    after = feasible(fleets.shape_in(pod), made.snapshot)
    assert set(after.nodes) <= set(before.nodes)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_sieve_that_is_told_of_every_move_is_as_good_as_new(seed: int) -> None:
    rng, made, pod = any_fleet(seed)
    shape, snapshot = fleets.shape_in(pod), made.snapshot
    filter_chain = FilterChain(shape, snapshot)
    for number in range(8):
        index = rng.randrange(len(snapshot.nodes))
        if snapshot.pods[index] and rng.random() < 0.5:
            gone = rng.choice(snapshot.pods[index])
            snapshot.remove(index, gone)
            filter_chain.moved(index, gone, -1)
        else:
            come = RunningPod(f"more-{number}", fleets.shape_in(kinds.running(rng, "more")))
            snapshot.add(index, come)
            filter_chain.moved(index, come, 1)
    assert feasible(shape, snapshot, filter_chain).refusals == feasible(shape, snapshot).refusals


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_node_is_free_once_its_victims_are_gone(seed: int) -> None:
    _, made, pod = any_fleet(seed)
    pod["spec"]["priorityClassName"] = "high"
    shape, snapshot = fleets.shape_in(pod), made.snapshot
    verdict = feasible(shape, snapshot)
    for one in preempt(verdict, snapshot).candidates:
        assert all(victim.shape.priority < shape.priority for victim in one.victims)
        for victim in one.victims:
            snapshot.remove(one.node, victim)
        assert one.node in feasible(shape, snapshot).nodes
        for victim in one.victims:
            snapshot.add(one.node, victim)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_names_make_no_difference_to_a_plain_shape(seed: int) -> None:
    rng, made, _ = any_fleet(seed)
    pod: dict[str, Any] = {"spec": {"containers": [{}]}}
    for kind in rng.sample(("taints", "node selector", "node affinity", "CPU"), 2):
        kinds.KINDS[kind].change(rng, pod, made.nodes)
    shape = shape_of(pod["spec"], namespace="elsewhere")
    snapshot, renamed = made.snapshot, Snapshot([_renamed(node) for node in made.snapshot.nodes])
    for index, pods in enumerate(snapshot.pods):
        for placed in pods:
            renamed.add(index, placed)
    if shape.plain and FilterChain(shape, snapshot).alone:
        assert feasible(shape, renamed).nodes == feasible(shape, snapshot).nodes


def _renamed(node: FleetNode) -> FleetNode:
    name = f"other-{node.name}"
    return replace(node, name=name, labels={**node.labels, "kubernetes.io/hostname": name})
