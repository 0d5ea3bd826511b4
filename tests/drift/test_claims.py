"""Pools whose GPUs a DRA driver hands out: what its ResourceSlices list is held against the pool."""

from __future__ import annotations

import pytest

from tests.control_plane import slices
from tests.control_plane.amd_slices import amd_slice
from tests.drift.conftest import ROOT, Cluster, MakeCluster, Object, told

CHAT = ROOT / "examples/chat.yaml"
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
            "its ResourceSlices list 7 GPUs, but the pool says 8",
        ),
        (
            "h100-1",
            slices.whole("h100-1", "A100-80GB", 8),
            "h100",
            "its ResourceSlices list A100-80GB, but the pool says H100-80GB",
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
            "its ResourceSlices list whole GPUs, but the pool says 2 × 3g.40gb",
        ),
    ],
)
def test_slices_of_another_kind(
    eu: Cluster, node: str, instead: list[Object], pool: str, said: str
) -> None:
    without(eu, node)
    eu.add(*instead)
    assert told(eu.differences) == [("different", f"pool {pool}", [f"node {node}: {said}"])]


def test_slices_of_another_maker(cluster: MakeCluster) -> None:
    gpu = "gpu: {model: MI300X, count: 64, resource: amd.com/gpu, partition: cpx_nps4, dra: {by: claim}}"
    head, _, _ = PROFILE.partition("    - name: h100")
    pool = f"    - name: eighths\n      {gpu}\n      labels: {{example.com/pool: eighths}}\n      nodes: 1\n"
    made = cluster(head + pool)
    for node in (one for one in made.objects if one["kind"] == "Node"):
        for have in (node["status"]["capacity"], node["status"]["allocatable"]):
            have.pop("amd.com/gpu", None)
    made.add(slices.device_class("gpu.amd.com", "device.driver == 'gpu.amd.com'"))
    made.add(amd_slice("eighths-0", 64, "amdgpu-partition", "cpx_nps4"))
    assert not made.drift().differences
    without(made, "eighths-0")
    made.add(amd_slice("eighths-0", 8, "amdgpu", "spx_nps1"))
    assert told(made.differences) == [
        (
            "different",
            "pool eighths",
            [
                "node eighths-0: its ResourceSlices list whole GPUs, but the pool says cpx_nps4",
                "node eighths-0: its ResourceSlices list 8 GPUs, but the pool says 64",
            ],
        )
    ]


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
        (
            "missing",
            "DeviceClass mig.nvidia.com",
            ["the profile names it, but it must be created elsewhere"],
        )
    ]


def template(name: str, device_class: str, count: int, **more: object) -> Object:
    request = {"name": "gpu", "exactly": {"deviceClassName": device_class, "count": count, **more}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": "serving"},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


def claiming(name: str, template: str) -> Object:
    """A pod that asks for devices by a claim alone."""
    claim = {"name": "gpu", "resourceClaimTemplateName": template}
    container = {"name": "main", "resources": {"claims": [{"name": "gpu"}]}}
    owner = {"kind": "Deployment", "name": name, "uid": name, "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{name}-0", "namespace": "serving", "ownerReferences": [owner]},
        "spec": {"containers": [container], "resourceClaims": [claim]},
        "status": {"phase": "Running"},
    }


@pytest.fixture
def serving(cluster: MakeCluster) -> Cluster:
    """A cluster of claims that runs what is said."""
    made = cluster(ROOT / "examples/clusters/claims.yaml", str(CHAT))
    made.add(*slices.classes())
    return made


def strange(cluster: Cluster) -> list[tuple[str, list[str]]]:
    return [(name, said) for how, name, said in told(cluster.differences) if how == "unasked"]


def test_workloads_by_claims_that_nothing_makes(serving: Cluster) -> None:
    """GPUs and slices by the class of their claims; devices that are no accelerators are none."""
    serving.add(
        template("two", "gpu.nvidia.com", 2),
        template("card", "nic.example.com", 1),
        claiming("llama", "two"),
        claiming("router", "card"),
    )
    assert strange(serving) == [
        (
            "Deployment serving/llama",
            ["2 nvidia.com/gpu in 1 pod, but no given spec or manifest creates it"],
        )
    ]


def test_pods_by_claims_of_what_is_given(serving: Cluster) -> None:
    (ours,) = (one for one in serving.objects if one["kind"] == "ResourceClaimTemplate")
    serving.add(claiming("chat", ours["metadata"]["name"]))
    assert strange(serving) == []


def test_a_claim_that_pods_share_counts_once(serving: Cluster) -> None:
    pods = [claiming("llama", "two") for _ in range(2)]
    for at, pod in enumerate(pods):
        pod["metadata"]["name"] = f"llama-{at}"
        pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "pair"}]
    serving.add(*pods)
    assert strange(serving) == []
    (row,) = (one for one in serving.drift().unseen if one.kind == "ResourceClaim")
    assert (row.names, row.ask) == (("serving/pair",), "resourceclaim.resource.k8s.io")
    shared = template("pair", "gpu.nvidia.com", 2)
    serving.add({**shared, "kind": "ResourceClaim", "spec": shared["spec"]["spec"]})
    assert strange(serving) == [
        (
            "Deployment serving/llama",
            ["2 nvidia.com/gpu in 2 pods, but no given spec or manifest creates it"],
        )
    ]


def test_templates_that_the_dump_lacks_are_asked_for_once(serving: Cluster) -> None:
    """Those that specs make, and those of pods that nothing makes, stand in one row."""
    serving.remove("ResourceClaimTemplate")
    serving.add(claiming("llama", "two"))
    assert strange(serving) == []
    (row,) = (one for one in serving.drift().unseen if one.kind == "ResourceClaimTemplate")
    assert "serving/two" in row.names and len(row.names) == 2
    assert row.ask == "resourceclaimtemplate.resource.k8s.io"
