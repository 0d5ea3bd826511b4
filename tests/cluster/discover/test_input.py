"""What discovery takes as input, and what it says of anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuspec.cluster.discover import discover
from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import InputError
from tests.cluster.discover.conftest import Discover, MakeNode


def problem(text: str | bytes, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        discover(text, "nodes.json", **options)
    return str(caught.value)


def test_every_form_of_a_node_list_gives_the_same(node: MakeNode) -> None:
    nodes = [node("a"), node("b")]
    kindless = [
        {k: v for k, v in each.items() if k not in ("kind", "apiVersion")} for each in nodes
    ]
    forms = [
        json.dumps({"kind": "List", "items": nodes}),
        json.dumps({"kind": "NodeList", "items": nodes}),
        json.dumps({"kind": "NodeList", "items": kindless}),
        json.dumps(nodes[0]) + json.dumps(nodes[1]),
        json.dumps(nodes[0]) + "\n---\n" + json.dumps(nodes[1]),
        "\ufeff" + json.dumps({"kind": "List", "items": nodes}),
    ]
    first, *others = [discover(form) for form in forms]
    assert "nodes: 2" in first.text
    assert all(other == first for other in others)
    assert discover(forms[0].encode()) == first


def test_a_node_that_is_given_twice_counts_once(node: MakeNode) -> None:
    text = json.dumps({"kind": "List", "items": [node("a"), node("a")]})
    assert "nodes: 1" in discover(text).text


def test_two_nodes_of_one_name_are_two_clusters(node: MakeNode) -> None:
    text = json.dumps({"kind": "List", "items": [node("a"), node("a", gpus=4)]})
    assert "two different nodes are called a" in problem(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the input is empty"),
        ("NAME   STATUS   ROLES\nn1     Ready    <none>\n", "not Kubernetes objects"),
        ("[1, 2]", "not Kubernetes objects"),
        ('{"kind": "List", "items": []}', "no Node here"),
        ('{"kind": "List", "items": [', "nodes.json:"),
        (b"\xff\xfe", "nodes.json:1:1"),
        ('{"kind": "Node", "metadata": {}}', "without metadata.name"),
    ],
)
def test_what_is_no_node_is_refused(text: str | bytes, said: str) -> None:
    assert said in problem(text)


def test_other_kinds_alone_are_counted_and_their_content_is_not_shown() -> None:
    secret = {"kind": "Secret", "metadata": {"name": "s"}, "data": {"token": "aHVudGVyMg=="}}
    said = problem(json.dumps({"kind": "List", "items": [secret, secret, {"kind": "Pod"}]}))
    assert "no Node here, only 1 Pod, 2 Secret" in said
    assert "kubectl get nodes -o json" in said
    assert "aHVudGVyMg" not in said


def test_other_kinds_among_nodes_are_passed_over(node: MakeNode, found: Discover) -> None:
    secret = {"kind": "Secret", "metadata": {"name": "s"}}
    assert "1 Secret skipped" in found(node(), secret).notes


@pytest.mark.parametrize("memory", ["lots", "-1Gi"])
def test_a_quantity_that_is_none_is_named(node: MakeNode, memory: str) -> None:
    said = problem(json.dumps(node(memory=memory)))
    assert 'node n1: status.allocatable["memory"]' in said


def test_a_cluster_without_gpus_says_what_it_has(node: MakeNode) -> None:
    nodes = [node("a", {}, gpus=None), node("b", {}, gpus=None)]
    gaudi = node("c", {}, gpus=None, **{"habana.ai/gaudi": "8"})
    said = problem(json.dumps({"kind": "List", "items": [*nodes, gaudi]}))
    assert "none of 3 nodes has a GPU that a profile can state" in said
    assert "c: no label names the GPU and the machine is not in our table" in said


def test_a_cluster_whose_gpus_are_all_broken_says_why(node: MakeNode) -> None:
    said = problem(json.dumps(node(gpus=0)))
    assert "none of 1 node has a GPU" in said
    assert "nvidia.com/gpu is 0: the device plugin has stopped" in said


def test_the_profile_has_the_name_that_is_asked_for(node: MakeNode) -> None:
    text = json.dumps(node())
    assert "metadata: {name: eu-1}" in discover(text, profile_name="eu-1").text
    assert "the profile's name 'EU 1'" in problem(text, profile_name="EU 1")


def test_nodes_without_a_kubelet_version_are_refused(node: MakeNode) -> None:
    assert "no node shows its kubelet's version" in problem(json.dumps(node(kubelet="")))


@pytest.mark.parametrize(
    ("kubelets", "stated", "said"),
    [
        (["v1.36.2"], "1.36", "by the kubelets"),
        (["v1.36.2", "v1.35.9+k3s1"], "1.35", "by the kubelets"),
        (["v1.29.4-eks-1"], VERSIONS[0], "the oldest kubelet is of 1.29"),
        (["v1.99.0"], VERSIONS[-1], "the oldest kubelet is of 1.99"),
    ],
)
def test_kubernetes_is_the_oldest_kubelets_within_what_we_know(
    kubelets: list[str],
    stated: str,
    said: str,
    node: MakeNode,
    found: Discover,
) -> None:
    nodes = [node(f"n{i}", kubelet=kubelet) for i, kubelet in enumerate(kubelets)]
    result = found(*nodes)
    assert result.spec.kubernetes == stated
    assert said in result.comments
    assert ("kubelets are of 1.35 to 1.36; of 1.35: n1" in result.notes) == (len(kubelets) > 1)
