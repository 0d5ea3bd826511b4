"""Whatever is asked for, no node is given more than it has, and the same question has one answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec import hardware
from gpuspec.fleet.fit import FitReport, Ledger, Order, PodDemand, fit
from gpuspec.fleet.nodes import FleetNode, gpus
from gpuspec.fleet.scheduler.scoring import POLICIES
from gpuspec.fleet.scheduler.shape import shape_of
from gpuspec.fleet.scheduler.snapshot import Snapshot

MODEL = hardware.model("H100-80GB")
GPU = "nvidia.com/gpu"


def nodes(count: int, each: int) -> list[FleetNode]:
    have = {"cpu": each * 12_000, "memory": each << 36, "ephemeral-storage": 1 << 42, "pods": 20}
    return [
        FleetNode(
            f"n{at}",
            {"kubernetes.io/hostname": f"n{at}", "zone": "ab"[at % 2]},
            {**have, GPU: each},
            gpus=gpus(MODEL, each, GPU, None),
            group="all",
        )
        for at in range(count)
    ]


@st.composite
def demand(draw: st.DrawFn, number: int) -> PodDemand:
    count = draw(st.integers(1, 8))
    asked = {"cpu": draw(st.integers(1, 60)), "memory": f"{draw(st.integers(1, 200))}Gi"}
    labels = {"app": f"w{number}"}
    spec: dict[str, Any] = {
        "containers": [{"resources": {"requests": asked, "limits": {GPU: count}}}],
        "priority": draw(st.integers(0, 3)),
    }
    apart = {"topologyKey": draw(st.sampled_from(["kubernetes.io/hostname", "zone"]))}
    selector = {"labelSelector": {"matchLabels": labels}}
    match draw(st.integers(0, 5)):
        case 0:
            required = [{**apart, **selector}]
            spec["affinity"] = {
                "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}
            }
        case 1:
            when = draw(st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]))
            row = {**apart, **selector, "maxSkew": 1, "whenUnsatisfiable": when}
            spec["topologySpreadConstraints"] = [row]
        case 2:
            spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    pods = draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["Deployment", "Job"]))
    unit = draw(st.sampled_from([None, number]))
    shape = shape_of(spec, labels=labels)
    return PodDemand(f"w{number}", "default", kind, "pod", None, shape, pods, pods, count, unit)


@st.composite
def sets(draw: st.DrawFn) -> tuple[list[FleetNode], list[PodDemand]]:
    number = draw(st.integers(1, 5))
    made = nodes(draw(st.integers(1, 5)), draw(st.sampled_from([1, 2, 4, 8])))
    return made, [draw(demand(at)) for at in range(number)]


def run(made: tuple[list[FleetNode], list[PodDemand]], policy: Any, seeds: int = 2) -> FitReport:
    order = Order("any", "1.37", policy=policy, seeds=seeds)
    return fit(Snapshot(made[0]), made[1], Ledger, order)


@pytest.mark.parametrize("policy", POLICIES)
@given(made=sets())
@settings(max_examples=40)
def test_no_node_is_given_more_than_it_has(
    policy: str, made: tuple[list[FleetNode], list[PodDemand]]
) -> None:
    report = run(made, policy)
    total = 0
    for row in report.rows_after:
        held = [part for cell in row.cells for part in cell.parts if not part.idle]
        used = {name: row.allocatable[name] - row.free[name] for name in row.allocatable}
        assert all(0 <= used[name] <= row.allocatable[name] for name in used)
        assert len(held) == used[GPU]
        total += len(held)
    assert total * 1000 == report.after.allocated
    assert total == sum(one.placed * one.gpus for one in report.workloads)
    for one, asked in zip(report.workloads, made[1], strict=True):
        assert sum(at.pods for at in one.landings) == one.placed
        assert one.bounds[0] <= one.placed <= one.bounds[1] <= one.pods
        assert one.placed in (0, one.pods) or asked.unit is None
        # Said of the first pod that is not placed, and of no other.
        assert (one.verdict == "placed") == (one.placed == one.pods)
        assert (one.message is not None) == (one.verdict != "placed")


@given(made=sets())
@settings(max_examples=30)
def test_the_same_question_has_one_answer(made: tuple[list[FleetNode], list[PodDemand]]) -> None:
    snapshot = Snapshot(made[0])
    order = Order("any", "1.37", seeds=3)
    first = fit(snapshot, made[1], Ledger, order)
    assert fit(snapshot, made[1], Ledger, order) == first
    assert not any(snapshot.pods)


@given(made=sets())
@settings(max_examples=30)
def test_pods_that_keep_apart_are_apart(made: tuple[list[FleetNode], list[PodDemand]]) -> None:
    report = run(made, "least-allocated", seeds=1)
    for at, asked in enumerate(made[1]):
        topologies = {term.topology for term in asked.shape.apart}
        homes = [
            (row.name, made[0][place].labels)
            for place, row in enumerate(report.rows_after)
            for name in {p.label for c in row.cells for p in c.parts if p.workload == at}
        ]
        for topology in topologies:
            values = [labels[topology] for _, labels in homes]
            assert len(values) == len(set(values))
        if asked.shape.ports:
            assert len(homes) == len({name for name, _ in homes})
