"""What nodes tell of the fabric between them: networks, settings, and who is near whom."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.discover.conftest import Discover, MakeNode, there

Json = dict[str, Any]
GKE = "networking.gke.io.networks/"
LAYER = "topology.k8s.aws/network-node-layer-"


def networks(*names: str, addresses: bool = True) -> Json:
    have = {GKE + name: "1" for name in names}
    return have | ({f"{GKE}{name}.IP": "1" for name in names} if addresses else {})


def test_gke_networks_are_attached_in_the_order_of_their_numbers(
    node: MakeNode, found: Discover
) -> None:
    """C-52: resources and interfaces together, without the network for other traffic."""
    names = [f"rdma-{at}" for at in (0, 1, 2, 10)]
    result = found(node(**networks("gvnic-1", *names)))
    rdma = there(result.pool.rdma)
    assert list(rdma.interfaces.items()) == [(f"eth{at}", name) for at, name in enumerate(names, 1)]
    assert rdma.resource == GKE + "rdma-0" and rdma.per_gpu
    assert {rdma.resource, *rdma.resources} == set(networks(*names))
    assert set(rdma.resources.values()) == {1}
    assert f"also advertised: {GKE}gvnic-1, {GKE}gvnic-1.IP" in result.comments
    assert "nodes do not show what the interfaces are called in pods" in result.comments


def test_gke_networks_of_other_names_are_taken_all(node: MakeNode, found: Discover) -> None:
    have = networks("vpc1", "vpc2", addresses=False)
    assert list(there(found(node(**have)).pool.rdma).interfaces.values()) == ["vpc1", "vpc2"]


@pytest.mark.parametrize("have", [{GKE + "shared.IP": "128"}, {GKE + "Red_Network": "1"}])
def test_a_network_without_devices_or_of_an_illegal_name_is_no_fabric(
    have: Json, node: MakeNode, found: Discover
) -> None:
    assert found(node(**have)).pool.rdma is None


def test_virtual_functions_lack_what_attaches_them(node: MakeNode, found: Discover) -> None:
    result = found(node(**{"nvidia.com/rdma-vf": "16"}))
    assert "add them as `networks`, one for each device" in result.comments


def test_the_adapters_name_is_known_where_a_label_tells(
    node: MakeNode, found: Discover, h100: Json
) -> None:
    labels = {**h100, "backend.coreweave.cloud/flavor": "infiniband"}
    have = {"rdma/ib": "1k"}
    assert there(found(node(labels=labels, **have)).pool.rdma).env == {"NCCL_IB_HCA": "ibp"}
    roce = {**h100, "backend.coreweave.cloud/flavor": "roce"}
    assert there(found(node(labels=roce, **have)).pool.rdma).env == {}


def cluster(node: MakeNode, h100: Json, *places: Json) -> list[Json]:
    have = {"rdma/ib": "8"}
    return [node(f"n{at}", {**h100, **place}, **have) for at, place in enumerate(places)]


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        ("example.com/rack", "aabb", False),  # known to nobody: it can mean anything
        (LAYER + "3", "aabb", True),
        (LAYER + "3", "aaaa", False),  # one place: nothing to prefer
        (LAYER + "3", "abcd", False),  # each in a place of its own
        (LAYER + "3", ["a", "a", "b", None], False),  # a node of which nobody knows
        (LAYER + "3", ["a", "a", "b", ""], False),
        ("nvidia.com/gpu.clique", "aabb", True),
        ("cloud.google.com/gce-topology-block", "aaab", True),
        ("oci.oraclecloud.com/rdma.local_block_id", "abba", True),
        ("backend.coreweave.cloud/leafgroup", "abba", True),
    ],
)
def test_a_label_that_divides_the_nodes_is_their_domain(
    key: str,
    values: Any,
    expected: bool,
    node: MakeNode,
    found: Discover,
    h100: Json,
) -> None:
    """C-52: same rack or NVLink domain."""
    places = [{} if value is None else {key: value} for value in values]
    rdma = there(found(*cluster(node, h100, *places)).pool.rdma)
    assert rdma.domain == (key if expected else None)


def test_the_closest_level_is_taken_and_all_are_named(
    node: MakeNode, found: Discover, h100: Json
) -> None:
    places = [
        {LAYER + "1": outer, LAYER + "2": inner, LAYER + "3": f"leaf-{at}"}
        for at, (outer, inner) in enumerate([("x", "a"), ("x", "a"), ("y", "b"), ("y", "b")])
    ]
    result = found(*cluster(node, h100, *places))
    assert there(result.pool.rdma).domain == LAYER + "2"
    said = f"the widest first: {LAYER}1, {LAYER}2, {LAYER}3"
    assert said in result.comments


def test_an_nvlink_domain_comes_before_a_switch(
    node: MakeNode, found: Discover, h100: Json
) -> None:
    places = [
        {LAYER + "3": leaf, "nvidia.com/gpu.clique": clique}
        for leaf, clique in [("a", "1"), ("a", "1"), ("b", "1"), ("b", "2")]
    ]
    assert there(found(*cluster(node, h100, *places)).pool.rdma).domain == "nvidia.com/gpu.clique"


def test_levels_are_named_without_a_fabric_too(node: MakeNode, found: Discover, h100: Json) -> None:
    keys = [f"cloud.google.com/gce-topology-{level}" for level in ("block", "host")]
    result = found(node(labels={**h100, **dict.fromkeys(keys, "x")}))
    assert result.pool.rdma is None
    assert f"the widest first: {', '.join(keys)}" in result.comments


@pytest.mark.parametrize("other", [("rdma-0", "rdma-2"), ("rdma-0", "rdma-1", "rdma-2")])
def test_nodes_on_other_networks_are_another_pool(
    other: tuple[str, ...], node: MakeNode, found: Discover
) -> None:
    one = node("n1", **networks("rdma-0", "rdma-1"))
    assert len(found(one, node("n2", **networks(*other))).spec.pools) == 2
    assert len(found(one, node("n2", **networks("rdma-0", "rdma-1"))).spec.pools) == 1


def test_nodes_whose_adapters_are_called_otherwise_are_another_pool(
    node: MakeNode, found: Discover, h100: Json
) -> None:
    flavors = [{**h100, "backend.coreweave.cloud/flavor": name} for name in ("infiniband", "roce")]
    nodes = [node(f"n{at}", labels, **{"rdma/ib": "8"}) for at, labels in enumerate(flavors)]
    assert len(found(*nodes).spec.pools) == 2
