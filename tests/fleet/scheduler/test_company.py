"""Pods and those around them: topology spread, affinity and anti-affinity."""

from collections.abc import Iterable
from typing import Any

import pytest

from gpuspec.fleet.nodes.node import FleetNode
from gpuspec.fleet.scheduler.filter_chain import FilterChain
from gpuspec.fleet.scheduler.snapshot import RunningPod
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import HOSTNAME, REQUIRED, fleet, node, said, shape

UNEVEN = "node(s) didn't match pod topology spread constraints"
NEAR, FAR = (f"node(s) didn't match pod {kind} rules" for kind in ("anti-affinity", "affinity"))
REPELLED = "node(s) didn't satisfy existing pods anti-affinity rules"


def spread(topology: str = "zone", skew: int = 1, **more: Any) -> list[dict[str, Any]]:
    row = {
        "topologyKey": topology,
        "maxSkew": skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "x"}},
    }
    return [row | more]


def zones(*names: str) -> list[FleetNode]:
    return [node(f"{name}{at}", {"zone": name}) for at, name in enumerate(names)]


def spreading(
    pods: Iterable[str] = (),
    nodes: list[FleetNode] | None = None,
    labels: dict[str, str] | None = None,
    **more: Any,
) -> dict[str, tuple[object, ...] | None]:
    x = shape(labels={"app": "x"})
    made = nodes or zones("a", "b")
    pod = shape(labels=labels or {"app": "x"}, topologySpreadConstraints=spread(**more))
    return said(pod, fleet(*made, pods=[(name, x) for name in pods]))


def test_topology_spread_keeps_the_skew() -> None:
    """C-11."""
    assert spreading() == {"a0": None, "b1": None}
    assert spreading(["a0"]) == {"a0": (UNEVEN, True), "b1": None}
    assert spreading(["a0"], skew=2) == {"a0": None, "b1": None}
    assert spreading(["a0"], labels={"app": "y"}) == {"a0": None, "b1": None}


def test_nodes_without_the_label_are_no_domain() -> None:
    missing = f"{UNEVEN} (missing required label)"
    nodes = [*zones("a", "b"), node("c")]
    assert spreading(nodes=nodes)["c"] == (missing, False)


def test_too_few_domains_count_one_that_is_empty() -> None:
    assert spreading(["a0", "b1"], minDomains=3) == {"a0": (UNEVEN, True), "b1": (UNEVEN, True)}


def test_the_domains_that_count() -> None:
    tainted = node("b1", {"zone": "b"}, [{"key": "t", "effect": "NoSchedule"}])
    nodes = [*zones("a"), tainted]
    assert spreading(["a0"], nodes=nodes)["a0"] == (UNEVEN, True)
    assert spreading(["a0"], nodes=nodes, nodeTaintsPolicy="Honor")["a0"] is None
    x = shape(labels={"app": "x"})
    for policy, kept in (("Honor", None), ("Ignore", (UNEVEN, True))):
        pod = shape(
            labels={"app": "x"},
            nodeSelector={"zone": "a"},
            topologySpreadConstraints=spread(nodeAffinityPolicy=policy),
        )
        assert said(pod, fleet(*zones("a", "b"), pods=[("a0", x)]))["a0"] == kept


def test_spread_counts_its_own_revision_and_namespace_and_nobody_who_leaves() -> None:
    old = shape(labels={"app": "x", "rev": "1"})
    elsewhere = shape(labels={"app": "x", "rev": "2"}, namespace="other")
    pod = shape(
        labels={"app": "x", "rev": "2"},
        topologySpreadConstraints=spread(matchLabelKeys=["rev"]),
    )
    snapshot = fleet(*zones("a", "b"), pods=[("a0", old), ("a0", elsewhere)])
    assert feasible(pod, snapshot).nodes == (0, 1)


def test_spread_does_not_count_those_who_leave() -> None:
    pod = shape(labels={"app": "x"}, topologySpreadConstraints=spread())
    snapshot = fleet(*zones("a", "b"))
    snapshot.add(0, RunningPod("leaving", pod, ending=True))
    assert feasible(pod, snapshot).nodes == (0, 1)


def test_a_selector_of_everything_counts_nobody_but_the_pod_itself() -> None:
    pod = shape(topologySpreadConstraints=spread(labelSelector={}))
    assert feasible(pod, fleet(*zones("a", "b"), pods=[("a0", pod)])).nodes == (0, 1)


def test_the_emptiest_domain_is_known_again_when_a_pod_leaves() -> None:
    pod = shape(labels={"app": "x"}, topologySpreadConstraints=spread())
    snapshot = fleet(*zones("a", "b"), pods=[("a0", pod), ("b1", pod)])
    filter_chain = FilterChain(pod, snapshot)
    assert feasible(pod, snapshot, filter_chain).nodes == (0, 1)
    gone = snapshot.pods[1][0]
    snapshot.remove(1, gone)
    filter_chain.moved(1, gone, -1)
    assert feasible(pod, snapshot, filter_chain).nodes == (1,)


def near(
    kind: str, topology: str = "zone", labels: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    selector = {"matchLabels": labels or {"app": "x"}}
    return {kind: {REQUIRED: [{"topologyKey": topology, "labelSelector": selector, **more}]}}


def test_pod_affinity_wants_company() -> None:
    pod = shape(affinity=near("podAffinity"))
    x = shape(labels={"app": "x"})
    snapshot = fleet(*zones("a", "a", "b"), pods=[("a0", x)])
    assert said(pod, snapshot) == {"a0": None, "a1": None, "b2": (FAR, False)}


def test_the_first_of_a_group_may_be_alone() -> None:
    snapshot = fleet(*zones("a"), node("b"))
    wanted = near("podAffinity")
    assert said(shape(affinity=wanted, labels={"app": "x"}), snapshot) == {
        "a0": None,
        "b": (FAR, False),  # in no zone
    }
    assert said(shape(affinity=wanted), snapshot)["a0"] == (FAR, False)
    x = shape(affinity=wanted, labels={"app": "x"})
    assert said(x, fleet(*zones("a", "b"), pods=[("a0", x)])) == {"a0": None, "b1": (FAR, False)}


def test_nodes_without_the_label_are_apart_from_each_other() -> None:
    x, wanted = shape(labels={"app": "x"}), near("podAntiAffinity")
    alone = shape(affinity=wanted)
    nodes = [node("a"), node("b")]
    assert feasible(alone, fleet(*nodes, pods=[("a", x)])).nodes == (0, 1)
    assert feasible(x, fleet(*nodes, pods=[("a", alone)])).nodes == (0, 1)


def test_anti_affinity_in_both_directions() -> None:
    x, wanted = shape(labels={"app": "x"}), near("podAntiAffinity", HOSTNAME)
    alone = shape(affinity=wanted)
    nodes = zones("a", "a")
    assert said(alone, fleet(*nodes, pods=[("a0", x)])) == {"a0": (NEAR, True), "a1": None}
    assert said(x, fleet(*nodes, pods=[("a0", alone)])) == {"a0": (REPELLED, True), "a1": None}


@pytest.mark.parametrize(
    ("more", "met"),
    [
        ({}, False),
        ({"namespaces": ["b"]}, True),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "b"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "b"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "c"}}}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "b"}}, "matchLabelKeys": ["rev"]}, False),
        ({"namespaceSelector": {}, "mismatchLabelKeys": ["rev"]}, True),
    ],
)
def test_which_pods_a_term_means(more: dict[str, Any], met: bool) -> None:
    other = shape(labels={"app": "x", "rev": "1"}, namespace="b")
    pod = shape(labels={"rev": "2"}, affinity=near("podAntiAffinity", **more), namespace="a")
    snapshot = fleet(*zones("a"), pods=[("a0", other)], namespaces={"b": {"team": "b"}})
    assert feasible(pod, snapshot).fits is not met


@pytest.mark.parametrize(
    ("more", "met"),
    [
        ({}, True),
        ({"namespaces": ["b"]}, False),
        ({"namespaceSelector": {"matchLabels": {"team": "b"}}}, False),
        ({"mismatchLabelKeys": ["rev"]}, False),
        ({"matchLabelKeys": ["rev", "none"]}, True),
    ],
)
def test_whether_a_term_means_pods_of_the_same_template(more: dict[str, Any], met: bool) -> None:
    labels = {"app": "x", "rev": "1"}
    pod = shape(labels=labels, affinity=near("podAntiAffinity", **more), namespace="a")
    assert feasible(pod, fleet(*zones("a"), pods=[("a0", pod)])).fits is not met


def test_a_selector_that_is_not_written_means_no_pod() -> None:
    pod = shape(affinity={"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone"}]}})
    assert feasible(pod, fleet(*zones("a"), pods=[("a0", shape())])).fits


def test_alone_and_local_tell_what_may_be_remembered() -> None:
    nodes = zones("a", "b")
    alone = shape(affinity=near("podAntiAffinity", HOSTNAME))
    plain = shape(labels={"app": "x"})
    empty, kept = fleet(*nodes), fleet(*nodes, pods=[("a0", alone)])
    assert FilterChain(plain, empty).alone
    assert not FilterChain(plain, kept).alone
    assert FilterChain(plain, kept).local
    assert FilterChain(alone, empty).local
    assert not FilterChain(shape(affinity=near("podAntiAffinity")), empty).local
    assert not FilterChain(shape(topologySpreadConstraints=spread()), empty).local
