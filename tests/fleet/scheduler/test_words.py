"""The scheduler's messages, version by version."""

from typing import Any

import pytest

from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.shape import Shape
from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.status_message import message
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import GPU, fleet, node, shape

TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
FILTERS = (
    f"0/4 nodes are available: 1 Insufficient {GPU}, "
    "1 node(s) didn't match Pod's node affinity/selector, 2 node(s) had untolerated taint"
)
NO_HELP = (
    "preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, "
    "3 Preemption is not helpful for scheduling."
)
CLAIMS = "no new claims to deallocate, "


def words(pod: Shape, snapshot: Snapshot, version: str = "1.37") -> str:
    verdict = feasible(pod, snapshot)
    return message(verdict, preempt(verdict, snapshot), version, snapshot)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("1.33", f"{FILTERS} {{nvidia.com/gpu: present}}. {NO_HELP}"),
        ("1.34", f"{FILTERS}(s). {CLAIMS}{NO_HELP}"),
        ("1.35", f"{FILTERS}(s). {CLAIMS}{NO_HELP}"),
        ("1.36", f"{FILTERS}(s). {CLAIMS}{NO_HELP}"),
        ("1.37", f"{FILTERS}(s). {NO_HELP}"),
    ],
)
def test_the_same_fleet_in_each_version(version: str, said: str) -> None:
    pool = {"pool": "h100"}
    snapshot = fleet(
        node("full", pool),
        node("other"),
        node("tainted-1", pool, [TAINT]),
        node("tainted-2", pool, [TAINT]),
        pods=[("full", shape(4))],
    )
    assert words(shape(1, nodeSelector=pool), snapshot, version) == said


def test_an_empty_value_leaves_a_space() -> None:
    snapshot = fleet(node("a", taints=[{"key": "gone", "effect": "NoExecute"}]))
    assert "untolerated taint {gone: }." in words(shape(), snapshot, "1.33")


def test_reasons_are_sorted_as_texts() -> None:
    nodes = [node(f"n{at}", unschedulable=True) for at in range(10)]
    none: dict[str, Any] = {GPU: 0}
    nodes += [node(f"z{at}", **none) for at in range(2)]
    said = words(shape(1), fleet(*nodes))
    assert said.startswith(
        f"0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient {GPU}. "
    )


def test_no_nodes() -> None:
    assert words(shape(1), fleet()) == "no nodes available to schedule pods"


def test_a_gated_pod_is_not_looked_at() -> None:
    pod = shape(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}])
    verdict = feasible(pod, fleet(node("a")))
    assert verdict.held
    assert message(verdict, None, "1.37") == (
        "Scheduling is blocked due to non-empty scheduling gates"
    )


def test_a_pod_that_fits_has_no_message() -> None:
    assert words(shape(1), fleet(node("a"))) == ""


@pytest.mark.parametrize(
    ("version", "more"),
    [
        (
            "1.33",
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
        ),
        ("1.35", "not found"),
        ("1.37", "not found"),
    ],
)
def test_names_in_conflict(version: str, more: str) -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in "ab"]
    terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
    required = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    said = words(shape(affinity=required), fleet(node("a")), version)
    assert said == f"0/1 nodes are available: pod affinity terms conflict. {more}"


def test_a_pod_that_preempts_nobody() -> None:
    said = words(shape(9, preemptionPolicy="Never", priority=5), fleet(node("a")), "1.36")
    assert said == (
        f"0/1 nodes are available: 1 Insufficient {GPU}. "
        f"{CLAIMS}preemption: not eligible due to preemptionPolicy=Never."
    )


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("1.36", ""),
        (
            "1.37",
            " preemption: found a potential placement for pod on node a, preempting 1 victims",
        ),
    ],
)
def test_a_pod_that_makes_room(version: str, more: str) -> None:
    snapshot = fleet(node("a"), pods=[("a", shape(4))])
    said = words(shape(4, priority=5), snapshot, version)
    assert said == f"0/1 nodes are available: 1 Insufficient {GPU}.{more}"


def test_without_preemption_only_the_filters_speak() -> None:
    verdict = feasible(shape(9), fleet(node("a")))
    assert message(verdict, None, "1.37") == f"0/1 nodes are available: 1 Insufficient {GPU}."
