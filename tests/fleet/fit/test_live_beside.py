"""What a dump holds besides nodes and pods, and what is said where it does not hold it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import FitReport, InputError
from tests.fleet.fit.objects import PROFILE, Fit, deployment, gang
from tests.fleet.fit.test_live import Json, node, running
from tests.fleet.fit.test_live_pods import fit, of

__all__ = ["fit"]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def named(kind: str, name: str, **more: Any) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}


def zoned(name: str, zone: str) -> Json:
    made = node(name)
    made["metadata"]["labels"]["topology.kubernetes.io/zone"] = zone
    return made


def claiming(name: str) -> Json:
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
    return deployment(gpus=8, volumes=[volume])


def bound(zone: str) -> list[Json]:
    claim = named("PersistentVolumeClaim", "data", spec={"volumeName": "pv-1"})
    claim["metadata"]["namespace"] = "ml"
    terms = [
        {
            "matchExpressions": [
                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
            ]
        }
    ]
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    return [claim, named("PersistentVolume", "pv-1", spec=affinity)]


def test_a_volume_keeps_its_pods_where_it_lies(fit: Fit) -> None:
    live = [zoned("a", "x"), zoned("b", "y"), running("full", "a", 8)]
    (free,) = fit(claiming("data"), live=[*live, *bound("y")]).workloads
    assert (free.verdict, free.notes) == ("placed", ())
    (found,) = fit(claiming("data"), live=[*live, *bound("x")]).workloads
    assert found.verdict == "not placed"
    assert "1 node(s) didn't match PersistentVolume's node affinity" in (found.message or "")
    assert any("PersistentVolume" in reason.text for reason in found.reasons)


def test_a_claim_of_which_nothing_is_known_is_told_of(fit: Fit) -> None:
    (found,) = fit(claiming("data"), live=[node("a")]).workloads
    assert found.verdict == "placed"
    assert found.notes == ("claim data is unknown: every node is assumed to reach its volume",)
    new = named("PersistentVolumeClaim", "data", spec={})
    new["metadata"]["namespace"] = "ml"
    assert fit(new, claiming("data"), live=[node("a")]).workloads[0].notes == ()


@pytest.mark.parametrize("told", ["by the class", "by a pod that runs", "by the set"])
def test_what_a_priority_class_comes_to(fit: Fit, told: str) -> None:
    """A pod that runs tells as much of its class as the class itself, which no dump of pods holds."""
    row = named("PriorityClass", "urgent", value=1000)
    other = running("other", "b", 1)
    other["spec"] |= {"priorityClassName": "urgent", "priority": 1000}
    live = [node("a"), running("low", "a", 8)]
    more = {"by the class": [row], "by a pod that runs": [node("b", gpus=1), other]}
    urgent = deployment(gpus=8, priorityClassName="urgent")
    given = [row, urgent] if told == "by the set" else [urgent]
    (found,) = fit(*given, live=[*live, *more.get(told, ())]).workloads
    assert found.notes == ("it may preempt 1 pod of lower priority on a",)
    (found,) = fit(urgent, live=live).workloads
    assert found.notes == ("its PriorityClass urgent is unknown: its priority counts as 0",)


def test_what_a_runtime_class_adds(fit: Fit) -> None:
    heavy = named("RuntimeClass", "kata", overhead={"podFixed": {"cpu": "40"}})
    slow = deployment(gpus=1, cpu="100", runtimeClassName="kata")
    (found,) = fit(slow, live=[node("a"), heavy]).workloads
    assert "Insufficient cpu" in (found.message or "")
    (found,) = fit(slow, live=[node("a"), named("RuntimeClass", "kata")]).workloads
    assert (found.verdict, found.notes) == ("placed", ())
    (found,) = fit(slow, live=[node("a")]).workloads
    assert found.notes == ("its RuntimeClass kata is unknown: it is assumed to add nothing",)


def test_labels_of_namespaces_decide_whom_a_pod_keeps_away(fit: Fit) -> None:
    shy = running("shy", "a", 1)
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {},
        "namespaceSelector": {"matchLabels": {"team": "b"}},
    }
    shy["metadata"]["namespace"] = "quiet"
    shy["spec"]["affinity"] = {"podAntiAffinity": {REQUIRED: [term]}}
    spaces = [named("Namespace", "ml"), named("Namespace", "quiet")]
    report = fit(deployment(), live=[node("a"), shy, *spaces])
    assert report.workloads[0].verdict == "placed"
    assert not any("namespaces" in note for note in report.notes)
    report = fit(deployment(), live=[node("a"), shy])
    assert (
        "pods are kept together or apart by labels of namespaces, but those of ml, quiet are unknown"
        in report.notes
    )
    spaces[0]["metadata"]["labels"] = {"team": "b"}
    for given, live in (((), spaces), (spaces, ())):
        report = fit(*given, deployment(), live=[node("a"), shy, *live])
        assert report.workloads[0].verdict == "not placed"


def test_quotas_of_a_dump_count_with_what_runs(fit: Fit) -> None:
    quota = named("ResourceQuota", "q", spec={"hard": {"requests.nvidia.com/gpu": "8"}})
    quota["metadata"]["namespace"] = "ml"
    live = [node("a"), node("b"), running("x", "a", 6), quota]
    (found,) = fit(deployment(gpus=1, replicas=3), live=live).workloads
    assert (found.verdict, found.placed) == ("partly", 2)
    quota = json.loads(json.dumps(quota).replace('"8"', '"9"'))
    (found,) = fit(quota, deployment(gpus=1, replicas=3), live=live).workloads
    assert (found.verdict, found.placed) == ("placed", 3)


def test_what_a_dump_holds_in_vain_is_said_and_nothing_else(fit: Fit) -> None:
    more = named("Namespace", "ml"), named("Service", "s"), named("ConfigMap", "c")
    report = fit(deployment(), live=[node("a"), *more])
    assert [note for note in report.notes if "skipped" in note] == [
        "1 ConfigMap skipped",
        "1 Service skipped",
    ]


def test_the_scheduler_is_as_new_as_the_newest_kubelet(fit: Fit) -> None:
    """Until 1.34 it names the first taint, in the node's order, that a pod does not tolerate."""
    old, new = node("a"), node("b", unschedulable=True)
    old["status"]["nodeInfo"]["kubeletVersion"] = "v1.33.4-gke.1"
    old["spec"]["taints"] = [{"key": key, "effect": "NoSchedule"} for key in ("z", "a")]
    (found,) = fit(deployment(), live=[old]).workloads
    assert "node(s) had untolerated taint {z: }" in (found.message or "")
    report = fit(deployment(), live=[old, new])
    assert report.version == "1.37"
    assert "node(s) had untolerated taint(s)" in (report.workloads[0].message or "")


def test_nodes_of_which_no_pool_is_made_are_nodes_all_the_same(fit: Fit) -> None:
    bare = node("a")
    bare["metadata"]["labels"] = {"kubernetes.io/hostname": "a"}
    anywhere = deployment(gpus=4, h100=False)
    report = fit(anywhere, live=[bare, running("x", "a", 3)])
    assert report.workloads[0].verdict == "placed"
    assert any("no label names the GPU" in note and "-c FILE" in note for note in report.notes)
    report = fit(anywhere, live=[bare, running("x", "a", 5)])
    assert "1 Insufficient nvidia.com/gpu" in (report.workloads[0].message or "")


def test_a_profile_that_is_given_needs_no_pools_of_the_dump(tmp_path: Path) -> None:
    for name, value in (
        ("eu.yaml", PROFILE.replace("1.37", "1.36")),
        ("set.yaml", yaml.safe_dump(deployment(h100=False))),
        ("live.json", json.dumps({"kind": "List", "items": [node("a", gpus=0)]})),
    ):
        (tmp_path / name).write_text(value)
    (profile,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    live = str(tmp_path / "live.json")
    report = gpuspec.fit(str(tmp_path / "set.yaml"), profile=profile, live=live)
    assert report.version == "1.37"
    assert "1 Insufficient nvidia.com/gpu" in (report.workloads[0].message or "")
    with pytest.raises(InputError):
        gpuspec.fit(str(tmp_path / "set.yaml"), live=live)


QUEUE = """\
  namespaces: [{name: ml}]
  queues:
    - name: research
      namespaces: [ml]
      pools: [{pool: h100, gpus: 16}]
"""


def test_nodes_that_run_are_in_the_pools_of_the_profile_that_is_given(tmp_path: Path) -> None:
    """Its queues are for pools, whatever the nodes would be called without it."""
    (tmp_path / "eu.yaml").write_text(PROFILE + QUEUE)
    (profile,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    path = tmp_path / "set.yaml"
    path.write_text(yaml.safe_dump(gang(workers=1, gpus=8, queue="research", h100=False)))
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    other = node("b")
    other["metadata"]["labels"]["nvidia.com/gpu.product"] = "NVIDIA-A100-SXM4-80GB"

    def said(*items: Json) -> FitReport:
        (tmp_path / "live.json").write_text(json.dumps({"kind": "List", "items": items}))
        return gpuspec.fit(str(path), profile=profile, live=str(tmp_path / "live.json"))

    report = said(node("a"), other)
    assert report.workloads[0].landings[0].group == "h100"
    assert "of no pool of the profile: b" in report.notes
    (found,) = said(node("a", taints=[taint]), other).workloads
    assert found.verdict == "not placed"
    assert (found.message or "").startswith(
        "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "
        "1 node(s) had untolerated taint(s)."
    )
    assert {one.text for one in found.reasons} == {
        "it does not tolerate their taint nvidia.com/gpu=present:NoSchedule",
        "its queue sends it to other nodes",
    }


def test_a_dump_may_be_larger_than_a_manifest(fit: Fit) -> None:
    """That of a large cluster is hundreds of MB."""
    large = node("a")
    large["metadata"]["annotations"] = {"padding": " " * (65 << 20)}
    assert fit(deployment(), live=[large]).workloads[0].verdict == "placed"


def test_no_node_is_said_to_be_left_out(fit: Fit) -> None:
    broken = node("b")
    del broken["status"]["allocatable"]["nvidia.com/gpu"]
    report = fit(deployment(), live=[node("a"), broken])
    assert not any("left out" in note for note in report.notes)
    assert any(note.startswith("b: no GPU can be allocated") for note in report.notes)


def test_nothing_in_a_dump_makes_it_fall_over(fit: Fit) -> None:
    """What the API server would not have is left out, or refused as wrong input."""
    odd: tuple[Any, ...] = (None, True, -1, 1.5, "", "x", [], [None], ["x"], [{}], {}, {"x": None})
    pod = of(running("x", "a", 2), "ReplicaSet", "chat-1", **{"pod-template-hash": "1"})
    pod["spec"] |= {"schedulingGates": [{"name": "g"}], "priorityClassName": "c", "priority": 3}
    pod["spec"] |= {"runtimeClassName": "k", "overhead": {"cpu": "1"}}
    claim, volume = bound("x")
    volume["spec"]["claimRef"] = {"name": "data", "namespace": "ml"}
    quota = named("ResourceQuota", "q", spec={"hard": {"pods": "3"}})
    row = named("PriorityClass", "c", value=3)
    kata = named("RuntimeClass", "k", overhead={"podFixed": {"cpu": "1"}})
    space = named("Namespace", "ml")
    rng = Random(1)

    def mangled(value: Any) -> Any:
        if rng.random() < 0.06:
            return rng.choice(odd)
        if isinstance(value, dict):
            return {key: mangled(one) for key, one in value.items()}
        return [mangled(one) for one in value] if isinstance(value, list) else value

    for _ in range(60):
        items = [mangled(one) for one in (pod, claim, volume, quota, row, kata, space)]
        with suppress(InputError):
            assert fit(deployment("chat"), live=[node("a"), *items]).workloads
