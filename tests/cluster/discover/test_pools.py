"""Which nodes make a pool, what it has in common, and what it is called."""

from __future__ import annotations

from typing import Any

import pytest

from gpuspec.manifests import dns_label
from tests.cluster.discover.conftest import Discover, MakeNode, there

Json = dict[str, Any]
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def test_nodes_alike_within_two_percent_are_one_pool_of_the_least(
    node: MakeNode, found: Discover
) -> None:
    result = found(node("a", memory="1000Gi"), node("b", memory="1019Gi"), node("c", cpu="64500m"))
    pool = result.pools["h100-80gb-65cpu"]
    assert pool.nodes == 1
    pool = result.pools["h100-80gb-64cpu"]
    assert (str(there(pool.allocatable).memory), pool.nodes) == ("1000Gi", 2)
    assert "the least of 2 nodes, which differ in memory by 1.9 %" in result.comments


def test_beyond_two_percent_of_the_smallest_a_new_pool_begins(
    node: MakeNode, found: Discover
) -> None:
    sizes = ["1000Gi", "1019Gi", "1021Gi", "1039Gi"]
    nodes = [node(f"n{i}", memory=size) for i, size in enumerate(sizes)]
    result = found(*nodes)
    assert [str(there(pool.allocatable).memory) for pool in result.spec.pools] == [
        "1021Gi",
        "1000Gi",
    ]
    assert [pool.name for pool in result.spec.pools] == ["h100-80gb", "h100-80gb-2"]
    assert [pool.nodes for pool in result.spec.pools] == [2, 2]


@pytest.mark.parametrize(
    "other",
    [
        {"gpus": 4},
        {"cpu": "128"},
        {"memory": "1Ti"},
        {"ephemeral-storage": "2Ti"},
        {"taints": (GPU,)},
        {"labels": {"example.com/pool": "b"}},
        {"labels": {"node.kubernetes.io/instance-type": "b"}},
        {"labels": {"karpenter.sh/capacity-type": "spot"}},
        {"labels": {"nvidia.com/gpu.product": "NVIDIA-H100-PCIe"}},
        {"arch": "arm64"},
        {"rdma/ib": "1k"},
    ],
)
def test_what_matters_splits(other: Json, node: MakeNode, h100: Json, found: Discover) -> None:
    labels = h100 | other.get("labels", {})
    if other.get("gpus"):
        labels |= {"nvidia.com/gpu.count": "4"}
    assert len(found(node("a"), node("b", **other | {"labels": labels})).spec.pools) == 2


def test_noise_does_not_split(node: MakeNode, h100: Json, found: Discover) -> None:
    noise = {
        "kubernetes.io/hostname": "b",
        "nvidia.com/cuda.driver-version.full": "570.1",
        "nvidia.com/gfd.timestamp": "1",
        "nvidia.com/gpu.machine": "other",
        "nvidia.com/mig.config": "all-disabled",
        "nvidia.com/gpu-driver-upgrade-state": "upgrade-done",
        "example.com/asset": "4711",
        "topology.kubernetes.io/zone": "z2",
    }
    other = node("b", h100 | noise, taints=(NOT_READY,), pods="250")
    pool = found(node("a", h100 | {"topology.kubernetes.io/zone": "z1"}), other).pool
    assert pool.nodes == 2
    assert pool.zones == ("z1", "z2")
    assert pool.labels == {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    assert pool.taints == ()
    assert there(pool.allocatable).pods == 110


@pytest.mark.parametrize(
    "key",
    [
        "node.kubernetes.io/unschedulable",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "ToBeDeletedByClusterAutoscaler",
        "DeletionCandidateOfClusterAutoscaler",
        "karpenter.sh/disrupted",
        "karpenter.sh/disruption",
        "cloud.google.com/impending-node-termination",
        "aws-node-termination-handler/spot-itn",
        "node.cilium.io/agent-not-ready",
    ],
)
def test_taints_that_pass_are_not_the_pools(key: str, node: MakeNode, found: Discover) -> None:
    pool = found(node(taints=({"key": key, "effect": "NoSchedule"}, GPU))).pool
    assert [taint.key for taint in pool.taints] == ["nvidia.com/gpu"]


def test_lasting_taints_keep_value_and_effect(node: MakeNode, found: Discover) -> None:
    soft = {"key": "team", "value": "ml", "effect": "PreferNoSchedule"}
    pool = found(node(taints=(soft, GPU))).pool
    assert [(t.key, t.value, t.effect) for t in pool.taints] == [
        ("nvidia.com/gpu", "present", "NoSchedule"),
        ("team", "ml", "PreferNoSchedule"),
    ]


@pytest.mark.parametrize(
    ("labels", "provider_id", "capacity", "notice"),
    [
        ({"cloud.google.com/gke-spot": "true"}, "gce://p/z/n", "spot", "30s"),
        ({"cloud.google.com/gke-preemptible": "true"}, "gce://p/z/n", "spot", "30s"),
        ({"eks.amazonaws.com/capacityType": "SPOT"}, "aws:///a/i-1", "spot", "2m"),
        ({"eks.amazonaws.com/capacityType": "CAPACITY_BLOCK"}, "aws:///a/i-1", "on-demand", "30s"),
        ({"karpenter.sh/capacity-type": "spot"}, "aws:///a/i-1", "spot", "2m"),
        ({"karpenter.sh/capacity-type": "reserved"}, "aws:///a/i-1", "on-demand", "30s"),
        ({"kubernetes.azure.com/scalesetpriority": "spot"}, "azure:///s", "spot", "30s"),
        ({"kubernetes.azure.com/priority": "spot"}, "azure:///s", "spot", "30s"),
        ({}, "", "on-demand", "30s"),
    ],
)
def test_capacity_by_each_providers_label(
    labels: Json,
    provider_id: str,
    capacity: str,
    notice: str,
    node: MakeNode,
    h100: Json,
    found: Discover,
) -> None:
    pool = found(node(labels=h100 | labels, provider=provider_id)).pool
    assert (pool.capacity, str(pool.notice)) == (capacity, notice)
    assert labels.items() <= pool.labels.items()


@pytest.mark.parametrize(
    ("labels", "provider_id", "kubelet", "provider"),
    [
        ({}, "", "v1.36.2", "none"),
        ({"cloud.google.com/gke-nodepool": "a"}, "gce://p/z/n", "v1.35.1-gke.1", "gke"),
        ({}, "gce://p/z/n", "v1.36.2", "gke"),
        ({"eks.amazonaws.com/nodegroup": "a"}, "aws:///a/i-1", "v1.35.4", "eks"),
        ({}, "aws:///a/i-1", "v1.35.4-eks-3abbec1", "eks"),
        ({"eks.amazonaws.com/compute-type": "auto"}, "aws:///a/i-1", "v1.35.4", "eks-auto"),
        ({"kubernetes.azure.com/agentpool": "a"}, "azure:///s", "v1.34.6", "aks"),
        ({"node.coreweave.cloud/class": "gpu"}, "", "v1.35.2", "coreweave"),
    ],
)
def test_provider_by_labels_kubelet_and_cloud(
    labels: Json,
    provider_id: str,
    kubelet: str,
    provider: str,
    node: MakeNode,
    h100: Json,
    found: Discover,
) -> None:
    made = node(labels=h100 | labels, provider=provider_id, kubelet=kubelet)
    assert found(made).spec.provider == provider


def test_where_providers_differ_the_most_nodes_decide_and_a_comment_says_so(
    node: MakeNode, h100: Json, found: Discover
) -> None:
    auto = h100 | {"eks.amazonaws.com/compute-type": "auto"}
    managed = h100 | {"eks.amazonaws.com/nodegroup": "a"}
    result = found(node("a", auto), node("b", managed), node("c", managed), node("d"))
    assert result.spec.provider == "eks"
    assert "2 nodes; besides 1 of eks-auto" in result.comments


@pytest.mark.parametrize(
    ("have", "expected", "pages"),
    [
        ({"rdma/hca_shared_devices_a": "63"}, ("rdma/hca_shared_devices_a", 1, False), None),
        ({"rdma/ib": "1k"}, ("rdma/ib", 1, False), None),
        (
            {"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "10562Mi"},
            ("vpc.amazonaws.com/efa", 32, True),
            "5Gi",
        ),
        ({"vpc.amazonaws.com/efa": "4"}, ("vpc.amazonaws.com/efa", 4, True), None),
        ({"nvidia.com/rdma-vf": "16"}, ("nvidia.com/rdma-vf", 16, True), None),
    ],
)
def test_fabric_by_its_resource(
    have: Json,
    expected: tuple[str, int, bool],
    pages: str | None,
    node: MakeNode,
    found: Discover,
) -> None:
    result = found(node(**have))
    rdma = there(result.pool.rdma)
    assert (rdma.resource, rdma.amount, rdma.per_gpu) == expected
    assert (rdma.hugepages and str(rdma.hugepages)) == pages
    assert "nodes do not show the memlock limit" in result.comments


def test_one_fabric_is_chosen_and_others_are_said(node: MakeNode, found: Discover) -> None:
    result = found(node(**{"rdma/b": "63", "rdma/a": "63", "rdma/c": "0"}))
    assert there(result.pool.rdma).resource == "rdma/a"
    assert "also advertised: rdma/b" in result.comments


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({}, "h100-80gb"),
        ({"cloud.google.com/gke-nodepool": "train"}, "train"),
        ({"eks.amazonaws.com/nodegroup": "GPU_Nodes.1"}, "gpu-nodes-1"),
        ({"karpenter.sh/nodepool": "x"}, "x"),
        ({"kubernetes.azure.com/agentpool": "gpu"}, "gpu"),
        ({"compute.coreweave.com/node-pool": "a" * 63}, "a" * 63),
        ({"example.com/node-pool": "mine"}, "mine"),
        ({"accelerator": "nvidia"}, "h100-80gb"),
    ],
)
def test_a_pool_is_named_by_its_provider_or_its_people(
    labels: Json, name: str, node: MakeNode, h100: Json, found: Discover
) -> None:
    assert found(node(labels=h100 | labels)).pool.name == name


def test_pools_of_one_name_are_told_apart_by_what_differs(
    node: MakeNode, h100: Json, found: Discover
) -> None:
    pool = {"karpenter.sh/nodepool": "gpu"}
    spot = {"karpenter.sh/capacity-type": "spot"}
    t4 = pool | {"nvidia.com/gpu.product": "Tesla-T4"}
    sliced = t4 | {"nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.replicas": "4"}
    result = found(
        node("a", h100 | pool),
        node("b", h100 | pool | spot),
        node("c", t4),
        node("d", sliced),
        node("e", t4 | {"node.kubernetes.io/instance-type": "g4dn.metal"}),
    )
    assert list(result.pools) == [
        "gpu-h100-80gb",
        "gpu-h100-80gb-spot",
        "gpu-t4",
        "gpu-t4-g4dn-metal",
        "gpu-t4-time-sliced",
    ]


@pytest.mark.parametrize("name", ["a" * 63, "a" * 62, "a" * 58 + "-" + "b" * 4, "a-" * 31 + "a"])
def test_names_stay_legal_when_they_are_cut(
    name: str, node: MakeNode, h100: Json, found: Discover
) -> None:
    labels = h100 | {"karpenter.sh/nodepool": name}
    spot = labels | {"karpenter.sh/capacity-type": "spot"}
    nodes = [node("a", labels), node("b", spot), node("c", labels, memory="1Ti")]
    nodes.append(node("d", spot, memory="1Ti"))
    names = found(*nodes).pools
    assert len(names) == 4
    assert [dns_label(each) for each in names] == [None] * 4


def test_a_pools_name_does_not_depend_on_its_nodes_names(node: MakeNode, found: Discover) -> None:
    large, small = {"memory": "1000Gi"}, {"memory": "500Gi"}
    one = found(node("a", **large), node("b", **small)).pools
    two = found(node("b", **large), node("a", **small)).pools
    assert one == two


def test_figures_are_rounded_down_to_what_people_read(node: MakeNode, found: Discover) -> None:
    have = {"cpu": "95217m", "memory": "378921304Ki", "ephemeral-storage": "47093746742"}
    allocatable = there(found(node(**have)).pool.allocatable)
    assert str(allocatable.cpu) == "95210m"
    assert str(allocatable.memory) == "361Gi"
    assert str(allocatable.ephemeral_storage) == "44912Mi"


def test_nodes_that_do_not_say_their_size_leave_it_to_common_machines(
    node: MakeNode, found: Discover
) -> None:
    bare = node()
    bare["status"]["allocatable"] = {"nvidia.com/gpu": "8"}
    result = found(bare)
    assert result.pool.allocatable is None
    assert "do not show their allocatable CPU" in result.comments
