"""Pools whose GPUs a DRA driver hands out: what its ResourceSlices list is held against the pool."""

from __future__ import annotations

import pytest

from tests.control_plane import slices
from tests.drift.conftest import Cluster, MakeCluster, Object, told

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.36"
  pools:
    - name: h100
      gpu: {model: H100-80GB, count: 8, dra: {by: claim}}
      labels: {example.com/pool: h100}
      nodes: 2
    - name: cut
      gpu: {model: A100-80GB, count: 2, dra: {by: claim}}
      sharing: {mode: mig, profiles: {3g.40gb: 2}}
      labels: {example.com/pool: cut}
      nodes: 1
"""
HALVES = (("3g.40gb", 0), ("3g.40gb", 4))


@pytest.fixture
def eu(cluster: MakeCluster) -> Cluster:
    """Nodes that advertise no GPU, and the slices of their driver."""
    made = cluster(PROFILE)
    for node in [one for one in made.objects if one["kind"] == "Node"]:
        for have in (node["status"]["capacity"], node["status"]["allocatable"]):
            for name in [each for each in have if each.startswith("nvidia.com/")]:
                del have[name]
    made.add(*slices.classes())
    made.add(*slices.whole("h100-0", "H100-80GB", 8), *slices.whole("h100-1", "H100-80GB", 8))
    made.add(*slices.divided("cut-0", "A100-80GB", HALVES, HALVES))
    return made


def without(cluster: Cluster, node: str) -> None:
    """Take the slices of a node away."""
    cluster.objects = [
        one
        for one in cluster.objects
        if one["kind"] != "ResourceSlice" or one["spec"]["nodeName"] != node
    ]


def test_slices_as_the_profile_says(eu: Cluster) -> None:
    found = eu.drift()
    assert not found.differences
    assert not found.unseen
    assert found.nodes == 3


@pytest.mark.parametrize(
    ("node", "instead", "pool", "said"),
    [
        (
            "h100-1",
            slices.whole("h100-1", "H100-80GB", 7),
            "h100",
            "its ResourceSlices list 7 GPUs, and the pool says 8",
        ),
        (
            "h100-1",
            slices.whole("h100-1", "A100-80GB", 8),
            "h100",
            "its ResourceSlices list A100-80GB, and the pool says H100-80GB",
        ),
        (
            "h100-1",
            [],
            "h100",
            "none of 8 GPUs is handed out by claims: no ResourceSlice lists any of them",
        ),
        (
            "cut-0",
            slices.whole("cut-0", "A100-80GB", 2),
            "cut",
            "its ResourceSlices list whole GPUs, and the pool says 2 × 3g.40gb",
        ),
    ],
)
def test_slices_of_another_kind(
    eu: Cluster, node: str, instead: list[Object], pool: str, said: str
) -> None:
    without(eu, node)
    eu.add(*instead)
    assert told(eu.differences) == [("different", f"pool {pool}", [f"node {node}: {said}"])]


def test_without_slices_in_the_dump_nothing_is_said_of_devices(eu: Cluster) -> None:
    eu.objects = [one for one in eu.objects if one["kind"] not in ("ResourceSlice", "DeviceClass")]
    found = eu.drift()
    assert not found.differences
    assert [(one.kind, one.names) for one in found.unseen] == [
        ("ResourceSlice", ("of pool h100", "of pool cut")),
        ("DeviceClass", ("gpu.nvidia.com", "mig.nvidia.com")),
    ]


def test_a_class_that_claims_name(eu: Cluster) -> None:
    eu.remove("DeviceClass", "mig.nvidia.com")
    assert told(eu.differences) == [
        ("missing", "DeviceClass mig.nvidia.com", ["the profile names it, and others make it"])
    ]
