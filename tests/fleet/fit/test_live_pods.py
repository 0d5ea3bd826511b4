"""Pods of a dump that are more than a pod that runs, and what is asked about that runs already."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import gpuspec
from gpuspec import FitReport
from tests.fleet.fit.objects import Fit, deployment, gang
from tests.fleet.fit.test_live import Json, node, running


@pytest.fixture
def fit(tmp_path: Path) -> Fit:
    """Fits objects onto what a dump holds."""

    def run(*objects: Json, live: list[Json]) -> FitReport:
        dump, manifest = tmp_path / "live.json", tmp_path / "set.yaml"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": live}))
        manifest.write_text(yaml.safe_dump_all(objects))
        return gpuspec.fit(str(manifest), live=str(dump), seeds=1)

    return run


def pending(name: str, gpus: int, **more: Json) -> Json:
    made = running(name, "", gpus, phase="Pending")
    del made["spec"]["nodeName"]
    made["status"] |= more.get("status", {})
    made["spec"] |= more.get("spec", {})
    return made


def of(pod: Json, kind: str, name: str, **labels: str) -> Json:
    pod["metadata"] |= {"ownerReferences": [{"kind": kind, "name": name}], "labels": labels}
    return pod


def replicas(count: int, gpus: int, made: Callable[[str], Json]) -> list[Json]:
    """Pods of the Deployment `chat`."""
    pods = [made(f"chat-5d9-{number}") for number in range(count)]
    return [of(pod, "ReplicaSet", "chat-5d9", **{"pod-template-hash": "5d9"}) for pod in pods]


def test_what_is_being_ended_still_takes_its_room(fit: Fit) -> None:
    ends = running("x", "a", 8, deletionTimestamp="2026-01-01T00:00:00Z")
    assert fit(deployment(), live=[node("a"), ends]).workloads[0].verdict == "not placed"


def test_room_that_preemption_makes_is_another_s(fit: Fit) -> None:
    promised = pending("x", 6, status={"nominatedNodeName": "a"})
    report = fit(deployment(gpus=4), live=[node("a"), promised])
    assert report.workloads[0].verdict == "not placed"
    assert "1 pod counts on the node that preemption frees for it" in report.notes


def test_pods_behind_gates_do_not_come_first(fit: Fit) -> None:
    gated = pending("x", 8, spec={"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]})
    report = fit(deployment(gpus=8), live=[node("a"), gated, pending("y", 8), pending("z", 8)])
    assert report.workloads[0].verdict == "placed"
    assert "1 pod is held by scheduling gates: not counted" in report.notes
    assert "2 pending pods, not counted: the scheduler may place pending pods first" in report.notes


def test_a_node_of_no_use_is_no_room(fit: Fit) -> None:
    lost = [
        {"key": "node.kubernetes.io/unreachable", "effect": effect}
        for effect in ("NoSchedule", "NoExecute")
    ]
    gone = node("b", taints=lost)
    gone["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    cordoned = node("c", unschedulable=True)
    (found,) = fit(deployment(gpus=8), live=[node("a"), gone, cordoned]).workloads
    (room,) = found.rooms
    assert (room.nodes, room.each, room.free) == (1, 1, 1)
    report = fit(deployment(gpus=8), live=[node("a"), gone, cordoned, running("x", "a", 8)])
    assert report.workloads[0].verdict == "not placed"
    note = (
        "no workload here runs on some nodes of h100-80gb: idle GPUs there do not count as stranded"
    )
    assert (report.after.stranded, note in report.notes) == (0, False)
    # 4 of 8 GPUs stay idle beside a pod of 4 that takes all CPU, and those of b and c are no such ones.
    report = fit(deployment(gpus=4, cpu="100"), live=[node("a"), gone, cordoned])
    assert (report.after.stranded, note in report.notes) == (4000, True)


def test_slots_are_those_of_nodes_that_can_have_pods(fit: Fit) -> None:
    """Most nodes of the group have no local disk for it, and one has."""
    small = [node(name) for name in "bcd"]
    for each in small:
        each["spec"]["taints"] = [{"key": "team", "value": "b", "effect": "NoSchedule"}]
        each["status"]["allocatable"] |= {"cpu": "16"}
    (found,) = fit(deployment(gpus=1, cpu="16"), live=[node("a"), *small]).workloads
    room = next(one for one in found.rooms if one.reason is None)
    assert (room.nodes, room.each, room.free) == (1, 8, 8)


@pytest.mark.parametrize("name", ["a", "b"])
def test_slots_of_a_pod_that_asks_for_one_node_are_that_node_s(fit: Fit, name: str) -> None:
    asks = {"kubernetes.io/hostname": name}
    (found,) = fit(
        deployment(gpus=2, nodeSelector=asks),
        live=[node("a"), node("b"), running("x", "a", 2), running("y", "b", 2)],
    ).workloads
    (room,) = found.rooms
    assert (found.verdict, room.reason) == ("placed", None)
    assert (room.nodes, room.each, room.free) == (1, 4, 3)


def test_replicas_that_run_already_are_not_counted_twice(fit: Fit) -> None:
    live = [node("a"), *replicas(2, 4, lambda name: running(name, "a", 4))]
    report = fit(deployment("chat", 2, gpus=4), live=live)
    (found,) = report.workloads
    assert (found.verdict, found.placed) == ("placed", 2)
    assert found.notes == ("2 pods of it run already: the result is for new pods in their place",)
    assert (report.before.allocated, report.after.allocated) == (0, 8000)
    other = fit(deployment("other", 2, gpus=4), live=live).workloads[0]
    assert (other.verdict, other.notes) == ("not placed", ())


def test_replicas_that_wait_are_not_in_their_own_way(fit: Fit) -> None:
    waits = replicas(1, 8, lambda name: pending(name, 8))
    report = fit(deployment("chat", 1, gpus=8), live=[node("a"), *waits])
    assert not any("wait" in note for note in report.notes)
    assert "1 pending pod" in str(fit(deployment("x"), live=[node("a"), *waits]).notes)
    promised = replicas(1, 8, lambda name: pending(name, 8, status={"nominatedNodeName": "a"}))
    report = fit(deployment("chat", 1, gpus=8), live=[node("a"), *promised])
    assert report.workloads[0].verdict == "placed"


@pytest.mark.parametrize(
    ("manifest", "pod"),
    [
        (gang("train", 1, gpus=8), of(running("train-0", "a", 8), "Job", "train")),
        (
            running("train", "a", 8) | {"status": {}},
            running("train", "a", 8),
        ),
        (
            {
                "apiVersion": "leaderworkerset.x-k8s.io/v1",
                "kind": "LeaderWorkerSet",
                "metadata": {"name": "big", "namespace": "ml"},
                "spec": {
                    "replicas": 1,
                    "leaderWorkerTemplate": {
                        "size": 1,
                        "workerTemplate": deployment(gpus=8)["spec"]["template"],
                    },
                },
            },
            of(
                running("big-0", "a", 8),
                "StatefulSet",
                "big",
                **{"leaderworkerset.sigs.k8s.io/name": "big"},
            ),
        ),
    ],
    ids=["Job", "Pod", "LeaderWorkerSet"],
)
def test_what_pods_are_of(fit: Fit, manifest: Json, pod: Json) -> None:
    assert {one.verdict for one in fit(manifest, live=[node("a"), pod]).workloads} == {"placed"}
    pod = json.loads(json.dumps(pod).replace('"ml"', '"elsewhere"'))
    left = {one.verdict for one in fit(manifest, live=[node("a"), pod]).workloads}
    assert left == {"not placed"}


def test_a_pod_that_names_its_node_is_said_to(fit: Fit) -> None:
    made = deployment(gpus=8, nodeName="a")
    (found,) = fit(made, live=[node("a")]).workloads
    assert "its `nodeName` is a: kube-scheduler ignores it" in found.notes


def test_a_gang_takes_no_place_of_pods_that_it_fits_beside(fit: Fit) -> None:
    """Once its other pods let go, there is room beside what runs: none of that need go."""
    beside = running("small", "a", 1)
    beside["spec"]["priority"] = -10
    whole = gang(workers=2, gpus=7)
    whole["spec"]["template"]["spec"]["priority"] = 5
    (found,) = fit(whole, live=[node("a"), beside]).workloads
    assert (found.verdict, found.placed) == ("not placed", 0)
    assert found.message is not None
    assert "1 No preemption victims found for incoming pod" in found.message
