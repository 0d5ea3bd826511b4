"""Nodes with GPU labels and nothing to give are named, with the likely cause, and not counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.discover.conftest import Discover, MakeNode


@pytest.mark.parametrize(
    ("labels", "options", "cause"),
    [
        ({}, {"gpus": 0}, "nvidia.com/gpu is 0: the device plugin has stopped or finds no device"),
        ({}, {"gpus": None}, "no device plugin has registered"),
        ({}, {"gpus": None, "ready": "Unknown"}, "the node is not ready"),
        (
            {},
            {"gpus": 0, "capacity": {"nvidia.com/gpu": "8"}},
            "none of its 8 nvidia.com/gpu is healthy",
        ),
        (
            {"nvidia.com/gpu-driver-upgrade-state": "drain-required"},
            {"gpus": 0},
            "its driver is being upgraded (nvidia.com/gpu-driver-upgrade-state: drain-required)",
        ),
        ({"nvidia.com/gpu-driver-upgrade-state": "upgrade-done"}, {"gpus": 0}, "device plugin"),
        (
            {"nvidia.com/mig.config.state": "failed"},
            {"gpus": 0},
            "its MIG layout is being changed (nvidia.com/mig.config.state: failed)",
        ),
        (
            {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-INVALID"},
            {"gpus": 0},
            "the MIG layout is MIG-INVALID",
        ),
        (
            {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-INVALID"},
            {"gpus": 8},
            "the MIG layout is MIG-INVALID",
        ),
        (
            {"nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change"},
            {"gpus": 0},
            "disabled on it (nvidia.com/gpu.deploy.device-plugin: paused-for-mig-change)",
        ),
        (
            {"nvidia.com/gpu.deploy.operands": "false"},
            {"gpus": None},
            "disabled on it (nvidia.com/gpu.deploy.operands: false)",
        ),
        (
            {"nvidia.com/gpu.workload.config": "vm-passthrough"},
            {"gpus": None},
            "its GPUs are for virtual machines",
        ),
        ({"cloud.google.com/gke-gpu-dra-driver": "true"}, {"gpus": None}, "handed out by DRA"),
    ],
)
def test_the_likely_cause_is_named(
    labels: dict[str, str],
    options: dict[str, Any],
    cause: str,
    node: MakeNode,
    h100: dict[str, str],
    found: Discover,
) -> None:
    result = found(node("good"), node("bad", h100 | labels, **options))
    assert result.pool.nodes == 1
    (note,) = result.discovery.notes
    assert note.startswith("left out: bad: ")
    assert cause in note


@pytest.mark.parametrize(
    "labels",
    [
        {"feature.node.kubernetes.io/pci-0302_10de.present": "true"},
        {"nvidia.com/gpu.present": "true"},
        {"kubernetes.azure.com/accelerator": "nvidia"},
        {"karpenter.k8s.aws/instance-gpu-name": "l4"},
    ],
)
def test_any_label_of_a_gpu_is_enough_to_miss_it(
    labels: dict[str, str], node: MakeNode, found: Discover
) -> None:
    assert (
        "left out: bad: no GPU can be allocated"
        in found(node("good"), node("bad", labels, gpus=None)).notes
    )


def test_a_resource_slice_says_that_dra_has_the_gpus(node: MakeNode, found: Discover) -> None:
    slices = {
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "gpu.nvidia.com", "nodeName": "bad"},
    }
    result = found(node("good"), node("bad", gpus=None), slices)
    assert result.discovery.notes == (
        "left out: bad: no GPU can be allocated: its GPUs are handed out by DRA, and no "
        "ResourceSlice lists any of them",
    )


def test_many_nodes_of_one_cause_are_one_note(node: MakeNode, found: Discover) -> None:
    bad = [node(f"bad-{i:02}", gpus=0) for i in range(20)]
    (note,) = found(node("good"), *bad).discovery.notes
    assert note.startswith("left out: bad-00, bad-01, bad-02 and 17 more: ")


def test_a_node_with_a_dead_gpu_is_not_counted_beside_whole_ones(
    node: MakeNode, found: Discover
) -> None:
    result = found(node("good"), node("bad", gpus=7, capacity={"nvidia.com/gpu": "8"}))
    assert (result.pool.gpu.count, result.pool.nodes) == (8, 1)
    assert "left out: bad: 7 of 8 nvidia.com/gpu can be allocated" in result.notes


def test_a_gpu_that_fell_off_the_bus_is_missed_by_the_labels(
    node: MakeNode, found: Discover
) -> None:
    result = found(node("good"), node("bad", gpus=7))
    assert (result.pool.gpu.count, result.pool.nodes) == (8, 1)
    assert "left out: bad: only 7 of the 8 GPUs that its labels count" in result.notes


def test_where_every_node_lacks_a_gpu_the_pool_has_what_works(
    node: MakeNode, found: Discover
) -> None:
    short = {"gpus": 7, "capacity": {"nvidia.com/gpu": "8"}}
    result = found(node("a", **short), node("b", **short))
    assert (result.pool.gpu.count, result.pool.nodes) == (7, 2)
    assert "a, b: 7 of 8 nvidia.com/gpu can be allocated" in result.notes
    assert "left out" not in result.notes
    assert "of 8 GPUs, no node has more working ones" in result.comments


def test_passing_states_are_counted_and_said(node: MakeNode, found: Discover) -> None:
    cordoned = node("b")
    cordoned["spec"]["unschedulable"] = True
    result = found(node("a", ready="False"), cordoned)
    assert result.pool.nodes == 2
    assert result.discovery.notes == (
        "counted although not ready: a",
        "counted although cordoned: b",
    )
