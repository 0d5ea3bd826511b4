"""What an autoscaler of node groups is told of pools."""

from typing import Any

import yaml

from gpuspec.cluster.platform import platform_objects
from tests.cluster.conftest import MakeProfile

POOLS = """
pools:
- name: h100.large
  gpu: {model: H100-80GB, count: 8}
  allocatable: {cpu: 190, memory: 1850Gi, ephemeralStorage: 2Ti}
  labels: {team: research, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  taints: [{key: nvidia.com/gpu, value: present}, {key: team, value: research, effect: NoExecute}]
  zones: [a, b]
  nodes: {max: 4}
- name: l4
  gpu: {model: L4, count: 1}
  capacity: spot
  labels: {node.kubernetes.io/instance-type: machine-1}
  nodes: {min: 1, max: 9}
"""
INSTALLED = 'installed: {cluster-autoscaler: "1.36"}\n'


def notes(profile: Any) -> list[str]:
    return [note for note in platform_objects(profile)[1] if "while it is empty" in note]


def test_pools_are_tried_in_the_order_of_the_profile(profile: MakeProfile) -> None:
    """By names of groups that contain the pool's, in which a point is no wildcard."""
    objects, said = platform_objects(profile(INSTALLED + POOLS))
    (found,) = objects
    assert (found["kind"], found["metadata"]["namespace"]) == ("ConfigMap", "kube-system")
    assert found["metadata"]["name"] == "cluster-autoscaler-priority-expander"
    priorities = yaml.safe_load(found["data"]["priorities"])
    assert priorities == {100: [r".*h100\.large.*"], 99: [".*l4.*"]}
    assert any("--expander=priority" in note for note in said)
    assert platform_objects(profile(POOLS))[0] == []


def test_an_empty_group_of_aws_is_described_by_its_tags(profile: MakeProfile) -> None:
    (note,) = notes(profile("provider: eks\n" + INSTALLED + POOLS))
    assert note.startswith("pool h100.large, while it is empty: its Auto Scaling group needs")
    base = "k8s.io/cluster-autoscaler/node-template"
    for tag in (
        f"{base}/label/team=research",
        f"{base}/taint/team=research:NoExecute",
        f"{base}/taint/nvidia.com/gpu=present:NoSchedule",
        f"{base}/resources/nvidia.com/gpu=8",
        f"{base}/resources/ephemeral-storage=2Ti",
    ):
        assert tag in note


def test_a_managed_cloud_is_told_when_the_node_pool_is_made(profile: MakeProfile) -> None:
    """Not what it puts there itself: its own labels, and the taint of GPUs."""
    from_none = POOLS.replace("min: 1", "min: 0").replace(
        "labels: {team: research, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}",
        "labels: {team: research, cloud.google.com/gke-nodepool: h100}",
    )
    h100, l4 = notes(profile("provider: gke\n" + from_none))
    options = "--enable-autoscaling --total-min-nodes=0 --total-max-nodes=4 --node-locations=a,b"
    assert options in h100
    assert "--node-labels=team=research --node-taints=team=research:NoExecute" in h100
    assert "nvidia.com/gpu=" not in h100
    assert "--machine-type=machine-1" in l4
    assert "--spot" in l4
    (aks, _) = notes(profile("provider: aks\n" + POOLS.replace("min: 1", "min: 0")))
    assert "--enable-cluster-autoscaler --min-count 0 --max-count 4" in aks
