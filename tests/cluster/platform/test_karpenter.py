"""Karpenter's objects of a profile: NodePools, classes of EC2 machines, and overlays."""

from typing import Any

import pytest

from gpuspec.cluster.platform import platform_objects
from gpuspec.manifests import InputError
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

Object = dict[str, Any]
EKS = 'extends: eks\ninstalled: {karpenter: "1.14", kueue: "0.19"}\n'
CLASS = """
nodeClasses:
- name: gpu
  role: nodes
  amiAlias: al2023@v20260805
  subnets: {karpenter.sh/discovery: eu}
  securityGroups: {karpenter.sh/discovery: eu}
"""
POOLS = """
pools:
- name: h100
  gpu: {model: H100-80GB, count: 8}
  labels: {node.kubernetes.io/instance-type: p5.48xlarge, team: research}
  taints: [{key: nvidia.com/gpu, value: "true"}, {key: spot}]
  zones: [eu-west-1a, eu-west-1b]
  nodes: {max: 16}
  rdma: {recipe: efa}
  localDisk: true
  karpenter: {nodeClass: {name: gpu}}
- name: l4
  gpu: {model: L4, count: 4}
  allocatable: {cpu: 47, memory: 170Gi, ephemeralStorage: 300Gi}
  nodes: {max: 10}
  capacity: spot
  karpenter: {nodeClass: {name: gpu}, consolidateAfter: 1h30m, expireAfter: 14d, terminationGracePeriod: 1h}
"""
QUEUES = "queues: [{name: q, namespaces: [ml], pools: [{pool: h100, gpus: 8}]}]\n"


def made(profile: Any) -> dict[tuple[str, str], Object]:
    """What is made, by kind and name: all of it valid."""
    objects, _ = platform_objects(profile)
    assert not [fault for one in objects for fault in validate(one, "1.36")]
    return {(one["kind"], one["metadata"]["name"]): one["spec"] for one in objects if "spec" in one}


def notes(profile: Any) -> list[str]:
    return list(platform_objects(profile)[1])


def requirements(spec: Object) -> dict[str, list[str]]:
    rows = spec["template"]["spec"]["requirements"]
    assert {row["operator"] for row in rows} == {"In"}
    return {row["key"]: row["values"] for row in rows}


def test_what_follows_from_the_machine_is_required_and_the_rest_is_said(
    profile: MakeProfile,
) -> None:
    spec = made(profile(EKS + CLASS + POOLS + QUEUES))["NodePool", "h100"]
    assert requirements(spec) == {
        "karpenter.k8s.aws/instance-gpu-name": ["h100"],
        "karpenter.sh/capacity-type": ["on-demand"],
        "kubernetes.io/arch": ["amd64"],
        "kubernetes.io/os": ["linux"],
        "node.kubernetes.io/instance-type": ["p5.48xlarge"],
        "topology.kubernetes.io/zone": ["eu-west-1a", "eu-west-1b"],
    }
    template = spec["template"]
    assert template["metadata"] == {"labels": {"team": "research"}}
    assert template["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"},
        {"key": "spot", "effect": "NoSchedule"},
    ]
    ref = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}
    assert template["spec"]["nodeClassRef"] == ref
    assert spec["limits"] == {"nvidia.com/gpu": "128", "nodes": "16"}


def test_without_a_machine_ec2_is_asked_for_gpus_by_name_and_number(profile: MakeProfile) -> None:
    spec = made(profile(EKS + CLASS + POOLS))["NodePool", "l4"]
    required = requirements(spec)
    assert required["karpenter.k8s.aws/instance-gpu-name"] == ["l4"]
    assert required["karpenter.k8s.aws/instance-gpu-count"] == ["4"]
    assert required["karpenter.sh/capacity-type"] == ["spot"]


def test_a_pool_that_a_queue_hands_out_keeps_what_runs(profile: MakeProfile) -> None:
    """C-51: empty nodes go at once, the first pool is tried first, and times are as Karpenter reads them."""
    found = made(profile(EKS + CLASS + POOLS + QUEUES))
    train, serve = found["NodePool", "h100"], found["NodePool", "l4"]
    budgets = [
        {"nodes": "100%", "reasons": ["Empty"]},
        {"nodes": "10%", "reasons": ["Underutilized", "Drifted"]},
    ]
    assert train["disruption"] == {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "10m",
        "budgets": budgets,
    }
    assert train["template"]["spec"]["expireAfter"] == "720h"
    assert "terminationGracePeriod" not in train["template"]["spec"]
    assert serve["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert serve["disruption"]["consolidateAfter"] == "1h30m"
    own = serve["template"]["spec"]
    assert (own["expireAfter"], own["terminationGracePeriod"]) == ("336h", "1h")
    assert (train["weight"], serve["weight"]) == (100, 99)


def test_a_class_has_disks_that_pods_find_room_on(profile: MakeProfile) -> None:
    """Nine tenths of a disk are left to pods, less 1Gi; of the machine's own disks one is made."""
    spec = made(profile(EKS + CLASS + POOLS))["EC2NodeClass", "gpu"]
    (mapping,) = spec["blockDeviceMappings"]
    assert mapping["deviceName"] == "/dev/xvda"
    assert mapping["ebs"]["volumeSize"] == "335Gi"
    assert spec["instanceStorePolicy"] == "RAID0"
    other = made(profile(EKS + CLASS.replace("al2023@v20260805", "bottlerocket@v1.62.0") + POOLS))
    (mapping,) = other["EC2NodeClass", "gpu"]["blockDeviceMappings"]
    assert mapping["deviceName"] == "/dev/xvdb"


def test_disks_that_nobody_tells_of_are_too_small_and_that_is_said(profile: MakeProfile) -> None:
    bare = "pools: [{name: a, gpu: {model: L4, count: 4}, nodes: {max: 2}, karpenter: {nodeClass: {name: gpu}}}]"
    said = notes(profile(EKS + CLASS + bare))
    assert any(note.startswith("class gpu: disks are of 20Gi") for note in said)
    large = POOLS.replace("ephemeralStorage: 300Gi", "ephemeralStorage: 26000Gi")
    given = profile(EKS + CLASS + large)
    assert "blockDeviceMappings" not in made(given)["EC2NodeClass", "gpu"]
    assert any("no attached disk is as large as pool l4 says" in n for n in notes(given))


def test_what_no_cloud_counts_stands_in_an_overlay(profile: MakeProfile) -> None:
    """Huge pages of EFA, and slices by their own name; whole GPUs and EFA itself are counted."""
    mig = """
- name: slices
  gpu: {model: H100-80GB, count: 8}
  labels: {node.kubernetes.io/instance-type: p5.48xlarge, team: serving}
  sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}}
  nodes: {max: 2}
  karpenter: {nodeClass: {name: gpu}}
"""
    given = profile(EKS + CLASS + POOLS + mig.lstrip("\n"))
    found = made(given)
    of_pool = {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["h100"]}
    assert found["NodeOverlay", "h100"] == {
        "requirements": [of_pool],
        "capacity": {"hugepages-2Mi": "5Gi"},
    }
    assert found["NodeOverlay", "slices"]["capacity"] == {"nvidia.com/mig-1g.10gb": "56"}
    assert ("NodeOverlay", "l4") not in found
    # Of shared GPUs a node says another number than its machine.
    assert found["NodePool", "slices"]["limits"] == {"nodes": "2"}
    assert any("needs its feature gate NodeOverlay" in note for note in notes(given))


def test_a_node_pool_is_called_as_its_nodes_are_labelled(profile: MakeProfile) -> None:
    labelled = POOLS.replace("team: research", "karpenter.sh/nodepool: train")
    found = made(profile(EKS + CLASS + labelled))
    assert ("NodePool", "train") in found
    assert ("NodePool", "h100") not in found
    assert found["NodeOverlay", "train"]["requirements"][0]["values"] == ["train"]
    assert "metadata" not in found["NodePool", "train"]["template"]


def test_of_a_class_that_is_made_elsewhere_is_said_what_it_needs(profile: MakeProfile) -> None:
    aks = """
provider: aks
pools:
- name: a100
  gpu: {model: A100-80GB, count: 4}
  labels: {node.kubernetes.io/instance-type: Standard_NC96ads_A100_v4}
  nodes: {max: 2}
  karpenter: {nodeClass: {name: default}}
"""
    given = profile(aks)
    ref = made(given)["NodePool", "a100"]["template"]["spec"]["nodeClassRef"]
    assert ref == {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}
    assert any(
        n.startswith("AKSNodeClass default of pool a100 is not made here") for n in notes(given)
    )


def test_what_ends_training_is_said(profile: MakeProfile) -> None:
    """A grace period of the node's is above what may not be disrupted."""
    bounded = POOLS.replace(
        "karpenter: {nodeClass: {name: gpu}}\n- name",
        "karpenter: {nodeClass: {name: gpu}, terminationGracePeriod: 24h}\n- name",
    )
    said = notes(profile(EKS + CLASS + bounded + QUEUES))
    assert any("on a node 24h after the node expires" in note for note in said)
    newest = CLASS.replace("v20260805", "latest")
    assert any("follows al2023@latest" in note for note in notes(profile(EKS + newest + POOLS)))


def test_pools_of_others_have_no_node_pool(profile: MakeProfile) -> None:
    plain = POOLS.replace("karpenter:", "# ")
    objects, _ = platform_objects(profile(EKS + plain))
    assert not [one for one in objects if one["kind"] == "NodePool"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (POOLS.replace("  karpenter: {nodeClass: {name: gpu}}\n- name", "  karpenter: {nodeClass: {name: gpu, kind: Own}}\n- name"), "group and kind of a class are set together"),
        (POOLS.replace("name: l4", "name: L4 nodes"), "cannot name a NodePool"),
        (POOLS.replace("name: l4\n", "name: l4\n  labels: {karpenter.sh/nodepool: h100}\n"), "NodePool h100 already belongs to pool"),
        (POOLS + CLASS.replace("subnets: {karpenter.sh/discovery: eu}", "subnets: {}"), "class gpu finds no subnets without a tag"),
        (POOLS + CLASS.replace("{karpenter.sh/discovery: eu}", '{karpenter.sh/discovery: ""}', 1), "a tag needs a key and a value"),
        (POOLS + CLASS + CLASS.replace("nodeClasses:\n", ""), "a second class `gpu`"),
        (POOLS + CLASS.replace("al2023@v20260805", "al2023"), "alias of images"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(profile: MakeProfile, fields: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("`", ".?")):
        profile(EKS + fields)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("extends: eks\n", "but is not installed"),
        ('installed: {karpenter: "1.14"}\n', "does not follow from provider none"),
        ('provider: gke\ninstalled: {karpenter: "1.14"}\n' + CLASS, "the provider is gke"),
    ],
)
def test_who_makes_the_nodes_is_known(profile: MakeProfile, head: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        profile(head + POOLS.replace("recipe: efa", "resource: rdma/ib"))
