"""Each filter alone: which nodes it rejects, in which words, and whether preemption could help."""

from typing import Any

import pytest

from gpuspec.fleet.scheduler.shape import shape_of
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import GPU, REQUIRED, bare, fleet, node, said, shape


def test_cordoned_nodes() -> None:
    snapshot = fleet(node("a", unschedulable=True), node("b"))
    assert said(shape(), snapshot) == {"a": ("node(s) were unschedulable", False), "b": None}
    row = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    assert said(shape(tolerations=[row]), snapshot) == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        ({}, False),
        ({"operator": "Exists"}, True),
        ({"key": "team", "operator": "Exists"}, True),
        ({"key": "team", "value": "a"}, True),
        ({"key": "team", "operator": "Equal", "value": "b"}, False),
        ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "team", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "team", "operator": "Unheard"}, False),
        ({"value": "a"}, False),
    ],
)
def test_tolerations(row: dict[str, Any], taken: bool) -> None:
    snapshot = fleet(node("a", taints=[{"key": "team", "value": "a", "effect": "NoSchedule"}]))
    assert feasible(shape(tolerations=[row]), snapshot).fits is taken


@pytest.mark.parametrize(
    ("operator", "bound", "taken"),
    [
        ("Gt", "4", True),
        ("Gt", "5", False),
        ("Lt", "6", True),
        ("Lt", "5", False),
        ("Gt", "x", False),
    ],
)
def test_tolerations_of_numbers(operator: str, bound: str, taken: bool) -> None:
    snapshot = fleet(node("a", taints=[{"key": "age", "value": "5", "effect": "NoSchedule"}]))
    row = {"key": "age", "operator": operator, "value": bound}
    assert feasible(shape(tolerations=[row]), snapshot).fits is taken


def test_taints_that_keep_nobody_off() -> None:
    discouraged = {"key": "soft", "effect": "PreferNoSchedule"}
    broken = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    snapshot = fleet(node("a", taints=[discouraged]), node("b", taints=[broken]))
    assert feasible(shape(), snapshot).nodes == (0, 1)


@pytest.mark.parametrize(
    ("expression", "taken"),
    [
        ({"operator": "In", "values": ["3", "4"]}, "b"),
        ({"operator": "NotIn", "values": ["3"]}, "ac"),
        ({"operator": "Exists"}, "bc"),
        ({"operator": "DoesNotExist"}, "a"),
        ({"operator": "Gt", "values": ["3"]}, "c"),
        ({"operator": "Lt", "values": ["40"]}, "b"),
        ({"operator": "Gt", "values": ["large"]}, ""),
    ],
)
def test_operators_of_node_affinity(expression: dict[str, Any], taken: str) -> None:
    nodes = (node("a"), node("b", {"size": "3"}), node("c", {"size": "40"}))
    term = {"matchExpressions": [{"key": "size", **expression}]}
    wanted = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}
    found = feasible(shape(affinity=wanted), fleet(*nodes)).nodes
    assert "".join(nodes[index].name for index in found) == taken


def test_terms_are_alternatives_and_a_selector_stands_in_each() -> None:
    nodes = [
        node(name, {"size": size, "pool": "p"}) for name, size in zip("abc", "123", strict=True)
    ]
    rows = [[{"key": "size", "operator": "In", "values": [size]}] for size in "13"]
    terms = [{"matchExpressions": each} for each in rows]
    wanted = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [*terms, {}]}}}
    assert feasible(shape(affinity=wanted), fleet(*nodes)).nodes == (0, 2)
    pod = shape(affinity=wanted, nodeSelector={"size": "3", "pool": "p"})
    assert feasible(pod, fleet(*nodes)).nodes == (2,)
    nobody: dict[str, Any] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{}]}}}
    assert not feasible(shape(affinity=nobody), fleet(*nodes)).fits


def named(*each: str, operator: str = "In") -> dict[str, Any]:
    """Affinity to nodes by name; each group of names is one term."""
    terms = [
        {
            "matchFields": [
                {"key": "metadata.name", "operator": operator, "values": [n]} for n in names
            ]
        }
        for names in each
    ]
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}


def test_nodes_that_no_term_names_are_not_looked_at() -> None:
    snapshot = fleet(node("a", unschedulable=True), node("b", unschedulable=True), node("c"))
    assert said(shape(affinity=named("a", "b")), snapshot) == {
        "a": ("node(s) were unschedulable", False),
        "b": ("node(s) were unschedulable", False),
        "c": ("node(s) didn't satisfy plugin(s) [NodeAffinity]", False),
    }


def test_names_in_conflict_keep_off_all_nodes_at_once() -> None:
    verdict = feasible(shape(affinity=named("ab")), fleet(node("a"), node("b")))
    assert verdict.conflict == "pod affinity terms conflict"
    assert not verdict.fits
    assert verdict.refusals == {}


def test_a_name_to_avoid_names_none() -> None:
    snapshot = fleet(node("a"), node("b"))
    assert feasible(shape(affinity=named("a", operator="NotIn")), snapshot).nodes == (1,)


def test_everything_that_is_short_is_told() -> None:
    snapshot = fleet(node("a", cpu=1000, pods=1), node("b"), pods=[("a", shape()), ("b", shape(3))])
    asks = {"cpu": "2", "memory": "1Gi", GPU: 2, "rdma/hca": 1}
    pod = shape_of({"containers": [{"resources": {"limits": asks}}]})
    assert said(pod, snapshot) == {
        "a": ("Too many pods", "Insufficient cpu", "Insufficient rdma/hca", False),
        "b": (f"Insufficient {GPU}", "Insufficient rdma/hca", False),
    }


def test_four_free_gpus_on_four_nodes_are_no_four() -> None:
    """C-02."""
    nodes = [node(name) for name in "abcd"]
    snapshot = fleet(*nodes, pods=[(each.name, shape(3)) for each in nodes])
    assert feasible(shape(4), snapshot).counts() == {f"Insufficient {GPU}": 4}
    assert feasible(shape(1), snapshot).nodes == (0, 1, 2, 3)


def test_preemption_may_help_only_where_an_empty_node_would_do() -> None:
    one: dict[str, Any] = {GPU: 1}
    snapshot = fleet(node("a"), node("b", **one), pods=[("a", shape(4))])
    lacking = f"Insufficient {GPU}"
    assert said(shape(2), snapshot) == {"a": (lacking, True), "b": (lacking, False)}


@pytest.mark.parametrize(
    ("port", "free"),
    [
        ({"hostPort": 80}, False),
        ({"hostPort": 81}, True),
        ({"hostPort": 80, "protocol": "UDP"}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, False),
        ({"hostPort": 90, "hostIP": "10.0.0.2"}, True),
        ({"hostPort": 90, "hostIP": "10.0.0.1"}, False),
        ({"hostPort": 90, "hostIP": "0.0.0.0"}, False),
        ({"containerPort": 80}, True),
    ],
)
def test_ports_of_the_host(port: dict[str, Any], free: bool) -> None:
    taken = shape_of(
        {
            "containers": [{"ports": [{"hostPort": 80}]}],
            "initContainers": [
                {"restartPolicy": "Always", "ports": [{"hostPort": 90, "hostIP": "10.0.0.1"}]},
                {"ports": [{"hostPort": 81}]},
            ],
        }
    )
    snapshot = fleet(node("a"), pods=[("a", taken)])
    pod = shape_of({"containers": [{"ports": [port]}]})
    expected = (
        None if free else ("node(s) didn't have free ports for the requested pod ports", True)
    )
    assert said(pod, snapshot) == {"a": expected}


def test_the_hosts_network_makes_container_ports_the_hosts() -> None:
    pod = shape_of({"hostNetwork": True, "containers": [{"ports": [{"containerPort": 80}]}]})
    assert not feasible(pod, fleet(node("a"), pods=[("a", pod)])).fits


def test_volumes_hold_a_pod_where_they_are() -> None:
    zone = {"metadata": {"labels": {"topology.kubernetes.io/zone": "a__b"}}}
    term = {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1"]}]}
    rack = {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}}
    labels = [{"topology.kubernetes.io/zone": name, "rack": "1"} for name in "abc"]
    nodes = [node(f"n{at}", each) for at, each in enumerate(labels)]
    snapshot = fleet(*nodes, node("bare"), node("rack", {"rack": "1"}))
    volumes = [{"persistentVolumeClaim": {"claimName": name}} for name in ("zone", "rack")]
    known: dict[str, Any] = {"zone": zone, "rack": rack}
    found = said(shape_of(bare(volumes=volumes), persistent_volumes=known), snapshot)
    assert found == {
        "n0": None,
        "n1": None,
        "n2": ("node(s) had no available volume zone", False),
        "bare": ("node(s) didn't match PersistentVolume's node affinity", False),
        "rack": None,
    }


def test_zones_by_their_old_name() -> None:
    written = {"metadata": {"labels": {"failure-domain.beta.kubernetes.io/zone": "a"}}}
    volumes = [{"persistentVolumeClaim": {"claimName": "data"}}]
    pod = shape_of(bare(volumes=volumes), persistent_volumes={"data": written})
    nodes = [node(name, {"topology.kubernetes.io/zone": name}) for name in "ab"]
    assert feasible(pod, fleet(*nodes)).nodes == (0,)


def test_a_pod_that_names_its_node() -> None:
    found = said(shape(nodeName="a"), fleet(node("a"), node("b")))
    assert found == {"a": None, "b": ("node(s) didn't match the requested node name", False)}


def test_the_first_filter_that_rejects_has_the_word() -> None:
    tainted = node("a", taints=[{"key": "t", "effect": "NoSchedule"}], unschedulable=True)
    pod = shape(9, nodeSelector={"zone": "z"})
    assert said(pod, fleet(tainted)) == {"a": ("node(s) were unschedulable", False)}
