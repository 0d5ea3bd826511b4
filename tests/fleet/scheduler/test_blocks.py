"""Looking at nodes in blocks finds what looking at each of them finds."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gpuspec.fleet.nodes import FleetNode
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.judging import judged
from gpuspec.fleet.scheduler.node_states import NodeStates
from gpuspec.fleet.scheduler.placing import Placer
from gpuspec.fleet.scheduler.shape import Shape, shape_of
from gpuspec.fleet.scheduler.snapshot import RunningPod, Snapshot
from gpuspec.fleet.scheduler.verdict import feasible

GPU = "nvidia.com/gpu"
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


@st.composite
def fleets(draw: st.DrawFn) -> list[FleetNode]:
    kinds = [
        {
            "cpu": draw(st.integers(2, 64)) * 1000,
            "memory": draw(st.integers(2, 64)) << 30,
            "pods": draw(st.integers(2, 30)),
            GPU: draw(st.sampled_from([0, 1, 4, 8])),
        }
        for _ in range(draw(st.integers(1, 3)))
    ]
    return [
        FleetNode(f"n{at}", {HOST: f"n{at}", ZONE: "abc"[at % 3]}, draw(st.sampled_from(kinds)))
        for at in range(draw(st.integers(1, 12)))
    ]


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    asked = {"cpu": f"{draw(st.integers(1, 9000))}m", "memory": f"{draw(st.integers(1, 9000))}Mi"}
    if gpus := draw(st.integers(0, 3)):
        asked[GPU] = str(gpus)
    labels = {"app": draw(st.sampled_from("xyz"))}
    spec: dict[str, Any] = {"containers": [{"resources": {"requests": asked, "limits": asked}}]}
    if draw(st.integers(0, 3)) == 0:
        apart = {"topologyKey": HOST, "labelSelector": {"matchLabels": labels}}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}
        spec["affinity"] = {"podAntiAffinity": required}
    if draw(st.integers(0, 3)) == 0:
        near = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
        rather = [{"weight": 10, "preference": near}]
        affinity = spec.setdefault("affinity", {})
        affinity["nodeAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": rather}
    return shape_of(spec, labels=labels)


@pytest.mark.parametrize("policy", ["least-allocated", "most-allocated", "best-fit"])
@given(nodes=fleets(), each=st.lists(st.tuples(shapes(), st.integers(1, 6), st.booleans())))
@settings(max_examples=60)
def test_pods_go_where_they_go_when_each_node_is_looked_at(
    policy: Any, nodes: list[FleetNode], each: list[tuple[Shape, int, bool]]
) -> None:
    blocks, plain = NodeStates(Snapshot(nodes)), NodeStates(Snapshot(nodes))
    one, other = Random(1), Random(1)
    for shape, pods, service in each:
        whole = Placer(blocks, shape, policy, one, service=service)
        every = range(len(nodes))
        singly = Placer(plain, shape, policy, other, service=service, among=every)
        for number in range(pods):
            placed = RunningPod(f"p{number}", shape)
            assert whole.place(placed) == singly.place(placed)
    assert blocks.snapshot.used == plain.snapshot.used


@given(nodes=fleets(), each=st.lists(shapes(), min_size=1))
@settings(max_examples=60)
def test_nodes_are_refused_as_they_are_when_each_is_looked_at(
    nodes: list[FleetNode], each: list[Shape]
) -> None:
    snapshot = Snapshot(nodes)
    node_states = NodeStates(snapshot)
    for shape in each:
        verdict, each_by_each = (
            judged(node_states, FilterChain(shape, snapshot)),
            feasible(shape, snapshot),
        )
        assert replace(verdict, known=None) == each_by_each
        assert list(verdict.refusals) == sorted(verdict.refusals)
        assert dict(verdict.told()) == dict(Counter(each_by_each.refusals.values()))
        Placer(node_states, shape, "least-allocated", Random(1)).place(RunningPod("p", shape))
