"""The fleet as it runs: what `kubectl get nodes,pods -A -o json` printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import FitReport, InputError
from tests.fleet.fit.objects import deployment, pod_spec

Json = dict[str, Any]
NODES = Path(__file__).parents[2] / "cluster" / "nodes"
PRODUCT = "NVIDIA-H100-80GB-HBM3"


def node(name: str, gpus: int = 8, **spec: Any) -> Json:
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64"}
    have = {"cpu": "128", "memory": "1024Gi", "ephemeral-storage": "1000Gi", "pods": "110"}
    if gpus:
        labels |= {"nvidia.com/gpu.product": PRODUCT, "nvidia.com/gpu.count": str(gpus)}
        labels |= {"nvidia.com/gpu.memory": "81559", "nvidia.com/gpu.replicas": "1"}
        have["nvidia.com/gpu"] = str(gpus)
    ready = {"type": "Ready", "status": "True"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {
            "allocatable": have,
            "capacity": have,
            "conditions": [ready],
            "nodeInfo": {"kubeletVersion": "v1.37.1"},
        },
    }


def running(name: str, on: str, gpus: int, phase: str = "Running", **metadata: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", **metadata},
        "spec": {"nodeName": on, **pod_spec(gpus, cpu="1", memory="1Gi")},
        "status": {"phase": phase},
    }


@pytest.fixture
def live(tmp_path: Path) -> Callable[..., FitReport]:
    """Fits a Deployment of pods with so many GPUs onto running nodes."""

    def run(*items: Json, gpus: int = 1, replicas: int = 1, **more: Any) -> FitReport:
        dump, manifest = tmp_path / "live.json", tmp_path / "set.yaml"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        manifest.write_text(yaml.safe_dump(deployment(gpus=gpus, replicas=replicas, **more)))
        return gpuspec.fit(str(manifest), live=str(dump))

    return run


def test_what_runs_takes_its_room(live: Callable[..., FitReport]) -> None:
    items = node("a"), node("b"), running("x", "a", 6), running("y", "b", 7)
    (found,) = live(*items, gpus=3).workloads
    assert found.verdict == "not placed"
    assert found.reasons[0].text == "it asks for 3 nvidia.com/gpu (at most 2 free)"
    assert live(*items, gpus=2).workloads[0].verdict == "placed"
    assert live(*items).before.allocated == 13_000


def test_a_pod_that_runs_keeps_others_away(live: Callable[..., FitReport]) -> None:
    shy = running("shy", "a", 1)
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "chat"}},
    }
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    shy["spec"]["affinity"] = {"podAntiAffinity": apart}
    (found,) = live(node("a"), shy).workloads
    assert (found.verdict, found.message) == (
        "not placed",
        "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    )


def test_what_is_done_takes_none(live: Callable[..., FitReport]) -> None:
    done = running("x", "a", 8, phase="Succeeded"), running("y", "a", 8, phase="Failed")
    assert live(node("a"), *done, gpus=8).workloads[0].verdict == "placed"


def test_nodes_without_gpus_and_cordoned_ones_are_in_the_message(
    live: Callable[..., FitReport],
) -> None:
    items = node("a", unschedulable=True), node("b"), node("c", gpus=0), running("x", "b", 8)
    (found,) = live(*items).workloads
    assert found.message == (
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, "
        "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. "
        "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, "
        "2 Preemption is not helpful for scheduling."
    )
    assert {(r.group, r.text) for r in found.reasons if "cordoned" in r.text} == {
        ("h100-80gb", "they are cordoned")
    }


def test_a_node_that_says_gpu_and_advertises_none(live: Callable[..., FitReport]) -> None:
    """C-03: its labels are those of the others, its device plugin is not ready."""
    broken = node("b")
    del broken["status"]["allocatable"]["nvidia.com/gpu"]
    report = live(node("a"), broken, running("x", "a", 8))
    (found,) = report.workloads
    assert found.message is not None
    assert "2 Insufficient nvidia.com/gpu" in found.message
    assert {r.text for r in found.reasons} == {
        "it asks for 1 nvidia.com/gpu (none free)",
        "it asks for 1 nvidia.com/gpu (none there)",
    }
    assert any("b" in note and "no GPU can be allocated" in note for note in report.notes)


def test_preemption_is_answered_by_whether_it_frees_one_node(
    live: Callable[..., FitReport],
) -> None:
    """C-40: of eight GPUs two are held by higher priority on each node: six can be freed, not seven."""
    low = {"preemptionPolicy": "PreemptLowerPriority", "priority": 100}
    full = [running(f"{at}{n}", at, 3) for at in ("a", "b") for n in range(2)]
    fixed = [running(f"{at}f", at, 2) for at in ("a", "b")]
    for pod in fixed:
        pod["spec"]["priority"] = 1000
    (helps,) = live(node("a"), node("b"), *full, *fixed, gpus=6, **low).workloads
    assert helps.verdict == "not placed"
    assert any(
        note.startswith("it may preempt 2 pods of lower priority on") for note in helps.notes
    )
    (no,) = live(node("a"), node("b"), *full, *fixed, gpus=7, **low).workloads
    assert not any("may preempt" in note for note in no.notes)


def test_the_profile_of_the_nodes_is_what_a_spec_is_rendered_on() -> None:
    spec = Path(__file__).parents[3] / "examples" / "embedding.yaml"
    report = gpuspec.fit(str(spec), live=str(NODES / "bare-metal.json"))
    (found,) = report.workloads
    assert found.verdict == "placed"
    assert {at.group for at in found.landings} == {"h100"}


@pytest.mark.parametrize("file", sorted(NODES.glob("*.json")), ids=lambda file: file.stem)
def test_recorded_clusters_are_reported_on(file: Path) -> None:
    report = gpuspec.fleet_report(live=str(file))
    assert report.figures.gpus > 0
    assert report.figures.idle + report.figures.allocated == report.figures.gpus
    assert sum(one.gpus for one in report.groups.values()) == report.figures.gpus
    assert report.rows
    for row in report.rows:
        assert all(sum(part.milli for part in cell.parts) <= 1000 for cell in row.cells)


def test_another_dump_than_of_nodes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"kind": "List", "items": [{"kind": "Service"}]}))
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(deployment()))
    with pytest.raises(InputError) as caught:
        gpuspec.fit(str(tmp_path / "set.yaml"), live=str(tmp_path / "a.json"))
    assert "no Node here" in str(caught.value)


def test_nodes_without_any_gpu(live: Callable[..., FitReport]) -> None:
    with pytest.raises(InputError):
        live(node("a", gpus=0))


def test_what_waits_already_is_told_of(live: Callable[..., FitReport]) -> None:
    waits = running("x", "", 8, phase="Pending")
    report = live(node("a"), waits, gpus=8)
    assert report.workloads[0].verdict == "placed"
    assert "1 pending pod, not counted: the scheduler may place pending pods first" in report.notes


def test_what_runs_has_a_part_of_its_namespace_s_quota(tmp_path: Path) -> None:
    items = [node("a"), node("b"), running("x", "a", 6)]
    (tmp_path / "live.json").write_text(json.dumps({"kind": "List", "items": items}))
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "ml"},
        "spec": {"hard": {"requests.nvidia.com/gpu": 8}},
    }
    path = tmp_path / "set.yaml"
    path.write_text(yaml.safe_dump_all([quota, deployment(gpus=1, replicas=3)]))
    (found,) = gpuspec.fit(str(path), live=str(tmp_path / "live.json")).workloads
    assert (found.verdict, found.placed) == ("partly", 2)
