"""Workloads that find no room: the scheduler's words, then plain ones (C-02, C-03, C-12)."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import gpuspec
from gpuspec import InputError
from tests.fleet.fit.objects import PROFILE, TOLERATED, Fit, One, deployment


def test_more_gpus_than_a_node_has(one: One) -> None:
    found = one(deployment(gpus=16))
    assert found.verdict == "not placed"
    assert found.message == (
        "0/6 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, "
        "4 Insufficient nvidia.com/gpu. preemption: 0/6 nodes are available: "
        "6 Preemption is not helpful for scheduling."
    )
    assert [(r.group, r.nodes, r.text) for r in found.reasons] == [
        ("h100", 4, "it asks for 16 nvidia.com/gpu (at most 8 there)"),
        (
            "t4",
            2,
            "it requires nvidia.com/gpu.product NVIDIA-H100-80GB-HBM3, but their value is Tesla-T4; "
            "it asks for 16 nvidia.com/gpu (at most 4 there)",
        ),
    ]
    assert found.reasons[0].change is not None
    assert found.reasons[0].change.text == "ask for at most 8 nvidia.com/gpu"
    assert [a.text for a in found.advice] == [
        "no node has more than 8 nvidia.com/gpu: split it into at least 2 pods"
    ]


def test_what_fits_now_is_told_from_what_an_empty_node_has(fit: Fit) -> None:
    report = fit(deployment("small", gpus=3, replicas=4), deployment("large", gpus=16))
    change = report.workloads[1].reasons[0].change
    assert change is not None
    assert change.text == "ask for at most 5 nvidia.com/gpu (8 on an empty node)"


def test_all_that_speaks_against_a_node_is_said_at_once(one: One) -> None:
    """C-01: the scheduler stops at the first filter; mending that alone would not have helped."""
    wrong = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB"}
    found = one(deployment(h100=False, nodeSelector=wrong))
    reason = next(r for r in found.reasons if r.group == "h100")
    assert reason.text == (
        "it does not tolerate their taint nvidia.com/gpu=present:NoSchedule; "
        "it requires nvidia.com/gpu.product NVIDIA-H100-80GB, but their value is NVIDIA-H100-80GB-HBM3"
    )


def test_the_words_are_those_of_the_profiles_version(fit: Fit) -> None:
    claims = "no new claims to deallocate, preemption: "
    said = {}
    for version in ("1.36", "1.37"):
        profile = PROFILE.replace('"1.37"', f'"{version}"')
        said[version] = fit(deployment(gpus=16), profile=profile).workloads[0].message or ""
    assert claims in said["1.36"]
    assert claims not in said["1.37"]


def test_four_free_gpus_on_four_nodes_do_not_take_one_pod_of_four(fit: Fit) -> None:
    """C-02: seven of eight are taken on each node."""
    report = fit(deployment("small", replicas=28), deployment("large", gpus=4), policy="best-fit")
    small, large = report.workloads
    assert small.placed == 28
    assert large.verdict == "placed"
    spread = fit(deployment("small", replicas=28), deployment("large", gpus=4))
    large = spread.workloads[1]
    assert large.verdict == "not placed"
    nearest, other = large.reasons
    assert (nearest.nodes, nearest.of) == (4, 4)
    assert nearest.text == "it asks for 4 nvidia.com/gpu (at most 1 free)"
    assert nearest.change is not None
    assert nearest.change.text == (
        "ask for at most 1 nvidia.com/gpu, or wait until one of them has 4 nvidia.com/gpu free"
    )
    assert other.group == "t4"
    assert large.message is not None
    assert "4 No preemption victims found for incoming pod" in large.message


def test_what_room_there_is_is_used(one: One) -> None:
    found = one(deployment(replicas=40))
    assert (found.verdict, found.placed) == ("partly", 32)
    assert found.landings[0].nodes == 4


def test_the_highest_priority_is_placed_first(fit: Fit) -> None:
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 1000,
    }
    report = fit(
        deployment("slow", replicas=32),
        deployment("quick", replicas=8, priorityClassName="urgent"),
        urgent,
    )
    assert [(one.name, one.placed) for one in report.workloads] == [("slow", 24), ("quick", 8)]


def test_a_pod_for_another_scheduler_is_not_judged(one: One) -> None:
    found = one(deployment(schedulerName="volcano"))
    assert found.verdict == "unknown"
    assert found.notes == ("scheduler volcano places it",)


def test_the_quota_of_a_namespace_ends_a_deployment(one: One) -> None:
    """C-39."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "ml"},
        "spec": {"hard": {"requests.nvidia.com/gpu": "5"}},
    }
    found = one(deployment(replicas=6), quota)
    assert (found.verdict, found.placed) == ("partly", 5)
    assert found.notes == (
        "the quota of namespace ml has 0 of 5 nvidia.com/gpu left, but the workload requests 1",
    )
    asked = "  namespaces: [{name: ml, quota: {nvidia.com/gpu: 3}}]\n"
    assert one(deployment(replicas=6), more=asked).placed == 3


def test_tolerations_alone_are_not_enough_for_a_label(one: One) -> None:
    found = one(deployment(h100=False, tolerations=TOLERATED, nodeSelector={"disk": "nvme"}))
    assert {r.text for r in found.reasons} == {"it requires disk nvme, which they do not have"}


def test_what_the_api_server_refuses_is_not_placed(fit: Fit) -> None:
    report = fit(deployment(cpu="-1", memory="lots"))
    (found,) = report.workloads
    assert (found.verdict, found.placed) == ("refused", 0)
    assert found.notes == (
        "the API server rejects it: main: requests.cpu is `-1`",
        "the API server rejects it: main: requests.memory is `lots`",
        "the API server rejects it: main: limits.cpu is `-1`",
        "the API server rejects it: main: limits.memory is `lots`",
    )
    assert not report.fits


def test_a_workload_that_cannot_be_read_is_not_left_out(tmp_path: Path) -> None:
    """Whatever is said of the rest would be taken for the whole."""
    (tmp_path / "eu.yaml").write_text(PROFILE)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(deployment()))
    (tmp_path / "b.yaml").write_text("apiVersion: apps/v1\nkind: Deployment\nspec: [\n")
    (profile,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    for ask in (gpuspec.fit, gpuspec.table):
        with pytest.raises(InputError) as caught:
            ask(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"), profile=profile)
        assert "b.yaml:" in str(caught.value.problems[0].place)


def test_pods_that_keep_their_like_away_have_one_slot_on_a_node(one: One) -> None:
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "chat"}},
    }
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    found = one(deployment(replicas=6, affinity={"podAntiAffinity": apart}))
    room = next(room for room in found.rooms if room.group == "h100")
    assert (room.each, room.free, room.bound) == (1, 4, "podAntiAffinity")
    assert (found.verdict, found.placed, found.beside) == ("partly", 4, 4)
    assert ("h100", 4, "a pod that its anti-affinity excludes runs there") in [
        (reason.group, reason.nodes, reason.text) for reason in found.reasons
    ]


def test_nodes_that_differ_in_what_a_label_says_are_told_of_together(one: One) -> None:
    found = one(deployment(nodeSelector={"topology.kubernetes.io/zone": "c"}))
    nearest = found.reasons[0]
    assert (nearest.group, nearest.nodes, nearest.of) == ("h100", 4, 4)
    assert nearest.text == ("it requires topology.kubernetes.io/zone c, but their value is a or b")
    assert nearest.change is not None
    assert nearest.change.text in (
        "require topology.kubernetes.io/zone a",
        "require topology.kubernetes.io/zone b",
    )
