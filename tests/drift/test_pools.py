"""Pools against nodes: a fleet as it is said has no drift, and one fact changed is exactly that one said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import gpuspec
from gpuspec.drift import read_dump
from gpuspec.drift.run import drift
from gpuspec.manifests import read
from gpuspec.spec import parse_profile
from tests.drift.conftest import CLUSTERS, ROOT, Cluster, MakeCluster, Object, told

RECORDED = sorted((ROOT / "tests/cluster/nodes").glob("*.json"))
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.36"
  pools:
    - name: h100
      gpu: {model: H100-80GB, count: 8}
      allocatable: {cpu: 190, memory: 1900Gi, ephemeralStorage: 3500Gi, hugepages: {2Mi: 8Gi}}
      labels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3, example.com/pool: h100}
      taints: [{key: nvidia.com/gpu, value: present}]
      zones: [a, b]
      region: eu
      rdma: {resource: rdma/hca, count: 8, perGpu: true}
      nodes: 4
    - name: slices
      gpu: {model: A100-80GB, count: 2}
      sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}}
      labels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, example.com/pool: slices}
      nodes: {min: 1, max: 3}
    - name: turns
      gpu: {model: T4, count: 2}
      sharing: {mode: time-slicing, replicas: 4}
      labels: {nvidia.com/gpu.product: Tesla-T4-SHARED, karpenter.sh/capacity-type: spot}
      capacity: spot
      nodes: 2
    - name: later
      gpu: {model: L4, count: 1}
      labels: {nvidia.com/gpu.product: NVIDIA-L4}
      nodes: {min: 0, max: 4}
"""


@pytest.fixture
def eu(cluster: MakeCluster) -> Cluster:
    """Ten nodes of four pools, one of them with as many as may be."""
    made = cluster(PROFILE)
    for number in range(1, 3):
        made.remove("Node", f"slices-{number}")
    for number in range(4):
        made.remove("Node", f"later-{number}")
    return made


def label(key: str, value: str | None) -> Callable[[Object], None]:
    def change(node: Object) -> None:
        labels = node["metadata"]["labels"]
        labels.pop(key, None)
        if value is not None:
            labels[key] = value

    return change


def has(name: str, amount: str, *, capacity: bool = False) -> Callable[[Object], None]:
    def change(node: Object) -> None:
        node["status"]["allocatable"][name] = amount
        if capacity:
            node["status"]["capacity"][name] = amount

    return change


def taint(**one: str) -> Callable[[Object], None]:
    return lambda node: node["spec"]["taints"].append(one)


CHANGES: dict[str, tuple[str, Callable[[Object], object], list[str]]] = {
    "unhealthy": (
        "h100-0",
        has("nvidia.com/gpu", "7"),
        ["node h100-0: 7 of 8 nvidia.com/gpu can be allocated: the others are unhealthy or gone"],
    ),
    "vanished": (
        "h100-0",
        has("nvidia.com/gpu", "7", capacity=True),
        ["node h100-0: 7 of 8 nvidia.com/gpu can be allocated"],
    ),
    "none": (
        "h100-0",
        has("nvidia.com/gpu", "0"),
        [
            "node h100-0: none of 8 nvidia.com/gpu can be allocated: none of its 8 nvidia.com/gpu "
            "is healthy, or the device plugin has stopped"
        ],
    ),
    "partitioned": (
        "h100-0",
        lambda node: (
            has("nvidia.com/gpu", "0", capacity=True)(node),
            has("nvidia.com/mig-1g.10gb", "56", capacity=True)(node),
        ),
        [
            "node h100-0: none of 8 nvidia.com/gpu can be allocated: the node offers 56 "
            "nvidia.com/mig-1g.10gb instead",
            "node h100-0: 56 nvidia.com/mig-1g.10gb, which the pool does not list",
        ],
    ),
    "more": (
        "h100-0",
        has("nvidia.com/gpu", "16", capacity=True),
        ["node h100-0: 16 nvidia.com/gpu, but the pool says 8"],
    ),
    "another resource": (
        "slices-0",
        has("nvidia.com/mig-2g.20gb", "1"),
        ["node slices-0: 1 nvidia.com/mig-2g.20gb, which the pool does not list"],
    ),
    "slices": (
        "slices-0",
        has("nvidia.com/mig-1g.10gb", "13"),
        [
            "node slices-0: 13 of 14 nvidia.com/mig-1g.10gb can be allocated: the others are "
            "unhealthy or gone"
        ],
    ),
    "a layout that is being made": (
        "slices-0",
        label("nvidia.com/mig.config.state", "failed"),
        ["node slices-0: its MIG layout is not applied: nvidia.com/mig.config.state is `failed`"],
    ),
    "a layout that is made": ("slices-0", label("nvidia.com/mig.config.state", "success"), []),
    "replicas": (
        "turns-0",
        label("nvidia.com/gpu.replicas", "8"),
        ["node turns-0: label nvidia.com/gpu.replicas is `8`, but the pool says `4`"],
    ),
    "mps": (
        "turns-0",
        label("nvidia.com/gpu.sharing-strategy", "mps"),
        [
            "node turns-0: label nvidia.com/gpu.sharing-strategy is `mps`, but the pool says "
            "`time-slicing`"
        ],
    ),
    "shared though whole": (
        "h100-0",
        label("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3-SHARED"),
        [
            "node h100-0: label nvidia.com/gpu.product is `NVIDIA-H100-80GB-HBM3-SHARED`, but the "
            "pool's sharing means `NVIDIA-H100-80GB-HBM3`"
        ],
    ),
    "no label": (
        "h100-0",
        label("example.com/pool", None),
        ["node h100-0: no label example.com/pool, which the pool has as `h100`"],
    ),
    "a label more": ("h100-0", label("example.com/team", "a"), []),
    "another model": (
        "h100-0",
        label("nvidia.com/gpu.product", "NVIDIA-H200"),
        ["node h100-0: its GPU is H200-141GB, but the pool's is H100-80GB"],
    ),
    "a taint": (
        "h100-0",
        taint(key="example.com/team", value="a", effect="NoSchedule"),
        ["node h100-0: taint example.com/team=a:NoSchedule, which the pool does not have"],
    ),
    "a taint of another value": (
        "h100-0",
        lambda node: node["spec"]["taints"][0].update(value="gpu"),
        [
            "node h100-0: taint nvidia.com/gpu=gpu:NoSchedule, but the pool says "
            "nvidia.com/gpu=present:NoSchedule"
        ],
    ),
    "no taint": (
        "h100-0",
        lambda node: node["spec"]["taints"].clear(),
        ["node h100-0: no taint nvidia.com/gpu=present:NoSchedule, which the pool has"],
    ),
    "cordoned": (
        "h100-0",
        lambda node: (
            node["spec"].update(unschedulable=True),
            node["spec"]["taints"].append(
                {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
            ),
        ),
        ["node h100-0: cordoned"],
    ),
    "not ready": (
        "h100-0",
        lambda node: node["status"]["conditions"][0].update(status="Unknown"),
        ["node h100-0: not ready"],
    ),
    "memory": (
        "h100-0",
        has("memory", "1890Gi"),
        ["node h100-0: 1890Gi of 1900Gi memory can be allocated"],
    ),
    "more memory": ("h100-0", has("memory", "1910Gi"), []),
    "CPU": ("h100-0", has("cpu", "189500m"), ["node h100-0: 189500m of 190 CPU can be allocated"]),
    "pages": (
        "h100-0",
        has("hugepages-2Mi", "4Gi"),
        ["node h100-0: 4Gi of 8Gi hugepages-2Mi can be allocated"],
    ),
    "the fabric": (
        "h100-0",
        has("rdma/hca", "7"),
        ["node h100-0: 7 of 8 rdma/hca can be allocated"],
    ),
    "another zone": (
        "h100-0",
        label("topology.kubernetes.io/zone", "c"),
        ["node h100-0: in zone c, but the pool spans a, b"],
    ),
    "another region": (
        "h100-0",
        label("topology.kubernetes.io/region", "us"),
        ["node h100-0: in region us, but the pool is in eu"],
    ),
    "spot": (
        "h100-0",
        label("karpenter.sh/capacity-type", "spot"),
        ["node h100-0: spot by its labels, but the pool is on-demand"],
    ),
    "architecture": (
        "h100-0",
        label("kubernetes.io/arch", "arm64"),
        ["node h100-0: arm64, but the pool says amd64"],
    ),
    "a driver": (
        "h100-0",
        label("nvidia.com/cuda.driver-version.full", "570.1"),
        ["node h100-0: driver 570.1, but 580.2 on 3 others"],
    ),
}


@pytest.mark.parametrize(("node", "change", "said"), CHANGES.values(), ids=CHANGES)
def test_one_fact_of_one_node(
    eu: Cluster, node: str, change: Callable[[Object], object], said: list[str]
) -> None:
    """C-03: which node, of which pool, and what of it; nothing else."""
    for each in eu.objects:
        if each["kind"] == "Node" and each["metadata"]["name"].startswith("h100"):
            label("nvidia.com/cuda.driver-version.full", "580.2")(each)
    assert not eu.differences
    change(eu.one("Node", node))
    pool = node.rpartition("-")[0]
    assert told(eu.differences) == ([("different", f"pool {pool}", said)] if said else [])


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"nvidia.com/cuda.driver-version.full": "580.105.08"}, []),
        (
            {"nvidia.com/cuda.driver-version.full": "575.57.08"},
            ["driver 575.57.08, but the profile says 580.105.08"],
        ),
        # Before GPU Feature Discovery 0.16, in parts.
        ({"nvidia.com/cuda.driver.major": "580", "nvidia.com/cuda.driver.minor": "105"}, []),
        ({"nvidia.com/cuda.driver.major": "575"}, ["driver 575, but the profile says 580.105.08"]),
    ],
)
def test_the_driver_that_the_profile_says(
    cluster: MakeCluster, labels: dict[str, str], said: list[str]
) -> None:
    """All nodes of a pool may have another than it says."""
    made = cluster(PROFILE.replace("      nodes: 4", '      driver: "580.105.08"\n      nodes: 4'))
    for node in made.objects:
        if node["kind"] == "Node" and node["metadata"]["name"].startswith("h100"):
            node["metadata"]["labels"] |= labels
    found = [remark.text for one in made.differences for remark in one.remarks]
    assert found == said


def test_a_fact_of_several_nodes_is_said_once(eu: Cluster) -> None:
    for number in range(4):
        eu.one("Node", f"h100-{number}")["spec"]["unschedulable"] = True
    ((_, _, said),) = told(eu.differences)
    assert said == ["nodes h100-0, h100-1, h100-2 and 1 more: cordoned"]
    (one,) = eu.differences
    assert one.remarks[0].nodes == ("h100-0", "h100-1", "h100-2", "h100-3")


def test_nodes_missing_and_too_many(eu: Cluster) -> None:
    eu.remove("Node", "h100-3")
    eu.remove("Node", "turns-1")
    eu.remove("Node", "turns-0")
    more = [*eu.objects]
    for number in range(1, 4):
        copy = {**eu.one("Node", "slices-0")}
        copy["metadata"] = {**copy["metadata"], "name": f"slices-{number}"}
        more.append(copy)
    eu.objects = more
    assert told(eu.differences) == [
        ("different", "pool h100", ["3 nodes, but the profile says 4 nodes"]),
        ("different", "pool slices", ["4 nodes, but the profile says 1 to 3 nodes"]),
        ("missing", "pool turns", ["no node belongs to it, but the profile says 2 nodes"]),
    ]


def test_a_node_of_no_pool_and_what_keeps_it_from_the_nearest(eu: Cluster) -> None:
    label("example.com/pool", "blue")(eu.one("Node", "h100-3"))
    strange = {**eu.one("Node", "h100-2"), "metadata": {"name": "b300", "labels": {}}}
    strange["metadata"]["labels"] = {"nvidia.com/gpu.product": "NVIDIA-B200"}
    eu.add(strange, {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "cpu"}})
    assert told(eu.differences) == [
        ("different", "pool h100", ["3 nodes, but the profile says 4 nodes"]),
        (
            "unasked",
            "nodes of no pool",
            [
                "node b300: 8 nvidia.com/gpu; the profile has no pool of its model",
                "node h100-3: 8 nvidia.com/gpu; nearest is pool h100: label example.com/pool is "
                "`blue`, but the pool says `h100`",
            ],
        ),
    ]


def test_a_node_whose_devices_are_all_gone_is_still_of_its_pool(eu: Cluster) -> None:
    node = eu.one("Node", "h100-3")
    for key in [each for each in node["metadata"]["labels"] if each.startswith("nvidia.com/")]:
        del node["metadata"]["labels"][key]
    for have in (node["status"]["capacity"], node["status"]["allocatable"]):
        del have["nvidia.com/gpu"]
    ((how, name, said),) = told(eu.differences)
    assert (how, name) == ("different", "pool h100")
    assert said[0].startswith(
        "node h100-3: none of 8 nvidia.com/gpu can be allocated: no device plugin"
    )
    assert said[1:] == [
        "node h100-3: no label nvidia.com/gpu.product, which the pool has as "
        "`NVIDIA-H100-80GB-HBM3`"
    ]


def test_kubelets_that_no_such_api_server_takes(eu: Cluster) -> None:
    eu.one("Node", "h100-0")["status"]["nodeInfo"]["kubeletVersion"] = "v1.37.0"
    eu.one("Node", "h100-1")["status"]["nodeInfo"]["kubeletVersion"] = "v1.32.9"
    eu.one("Node", "h100-2")["status"]["nodeInfo"]["kubeletVersion"] = "v1.34.9-eks-1"
    ((how, name, said),) = told(eu.differences)
    assert (how, name) == ("different", "kubernetes")
    assert said[0].startswith("node h100-0: kubelets of 1.37: the API server is at least as new")
    assert said[1].startswith("node h100-1: kubelets of 1.32: an API server of 1.36")


def test_each_version_names_its_own_nodes(eu: Cluster) -> None:
    for name, version in (("h100-0", "v1.37.0"), ("h100-1", "v1.38.0"), ("h100-2", "v1.37.2")):
        eu.one("Node", name)["status"]["nodeInfo"]["kubeletVersion"] = version
    ((_, _, said),) = told(eu.differences)
    assert [text.partition(": the API")[0] for text in said] == [
        "node h100-1: kubelets of 1.38",
        "nodes h100-0, h100-2: kubelets of 1.37",
    ]


@pytest.mark.parametrize("path", CLUSTERS, ids=lambda path: path.stem)
def test_a_fleet_made_from_a_profile_has_no_drift(cluster: MakeCluster, path: Path) -> None:
    """Every example: its nodes, and what `cluster render` makes."""
    made = cluster(path)
    found = made.drift()
    assert not [one for one in told(found.differences) if one[1] not in MADE_ELSEWHERE]
    assert found.nodes == sum(each["kind"] == "Node" for each in made.objects)


MADE_ELSEWHERE = (
    "DeviceClass gpu.nvidia.com",
    "ClusterQueue nightly",
    "LocalQueue bookstore-ml/nightly",
)
TRUE = {
    "eks-karpenter": ["cordoned"],
    "eks-managed": ["kubelets of 1.35"],
    "accelerators": ["the profile has no pool of its model"],
    "gaudi": ["the profile has no pool of its model"],
    "gke-tpu": ["3 nodes, but the profile says 4 nodes"],
    "shared": [
        "5 nodes, but the profile says 1 node",
        "7 of 8 nvidia.com/gpu",
        "cordoned",
        "its driver is being upgraded",
        "the GPU Operator is disabled on it",
        "its GPUs are handed out by DRA",
        "2 nodes, but the profile says 1 node",
        "MIG-INVALID",
    ],
}
"""What is true of recorded nodes that `cluster discover` leaves out of the profile, and says in notes."""


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_discovered_profile_differs_in_what_discovery_left_out(path: Path) -> None:
    (document,) = read(gpuspec.discover(str(path)).text, path.name)
    found = drift(parse_profile(document), None, read_dump(path.read_bytes(), path.name))
    said = [remark.text for one in found.differences for remark in one.remarks]
    wanted = TRUE.get(path.stem, [])
    assert len(said) == len(wanted)
    assert all(any(text in one for one in said) for text in wanted)
