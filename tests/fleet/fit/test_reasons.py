"""What is said against nodes holds of each node that is counted, and the change makes room."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec.fleet.fit import WorkloadFit
from tests.fleet.fit.objects import Json, deployment
from tests.fleet.fit.test_live import node, running

GPU = "nvidia.com/gpu"
TAINTS = ("team", "night")
PORTS = [{"containerPort": 80, "hostPort": 80}]
LACKS = re.compile(
    r"([\d.]+)(Gi|Mi)? (nvidia.com/gpu|CPU|memory) \((?:at most )?(?:([\d.]+|none)(?:Gi|Mi)?) (free|there)\)"
)
SAID = re.compile(r"requires (\w+) \w+, but their value is (\w+(?: or \w+)*)")
NAMES = {"CPU": "cpu"}


@st.composite
def fleets(draw: st.DrawFn) -> tuple[list[Json], list[Json]]:
    nodes: list[Json] = []
    pods: list[Json] = []
    for at in range(draw(st.integers(1, 6))):
        name = f"n{at}"
        made = node(name, draw(st.sampled_from([4, 8])))
        made["metadata"]["labels"]["disk"] = draw(st.sampled_from(["fast", "slow"]))
        taints = draw(st.sets(st.sampled_from(TAINTS)))
        made["spec"] = {
            "taints": [
                {"key": one, "value": "x", "effect": "NoSchedule"} for one in sorted(taints)
            ],
            "unschedulable": draw(st.integers(0, 4)) == 0,
        }
        nodes.append(made)
        if draw(st.booleans()):
            pod = running(f"on-{name}", name, draw(st.integers(1, 4)))
            requests = pod["spec"]["containers"][0]["resources"]["requests"]
            requests |= {
                "cpu": str(draw(st.integers(1, 100))),
                "memory": f"{draw(st.integers(1, 900))}Gi",
            }
            if draw(st.booleans()):
                pod["spec"]["containers"][0]["ports"] = PORTS
            pods.append(pod)
    return nodes, pods


@st.composite
def workloads(draw: st.DrawFn) -> Json:
    asked: Json = {"gpus": draw(st.integers(1, 10)), "cpu": str(draw(st.integers(1, 150)))}
    where = draw(st.sampled_from([{}, {"disk": "fast"}, {"disk": "none"}, {"other": "label"}]))
    tolerated = draw(st.sets(st.sampled_from(TAINTS)))
    made = deployment(
        h100=False,
        memory=f"{draw(st.integers(1, 1100))}Gi",
        nodeSelector=where,
        tolerations=[{"key": one, "operator": "Exists"} for one in sorted(tolerated)],
        **asked,
    )
    if draw(st.booleans()):
        made["spec"]["template"]["spec"]["containers"][0]["ports"] = PORTS
    return made


def fitted(folder: Path, items: list[Json], manifest: Json) -> tuple[WorkloadFit, dict[str, str]]:
    """What becomes of a workload, and the groups of the nodes."""
    live, path = folder / "live.json", folder / "set.yaml"
    live.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    path.write_text(yaml.safe_dump(manifest))
    report = gpuspec.fit(str(path), live=str(live), seeds=1)
    return report.workloads[0], {row.name: row.group for row in report.rows_before}


def asked_of(manifest: Json) -> dict[str, float]:
    """Per pod, in GPUs, cores and GiB."""
    spec = manifest["spec"]["template"]["spec"]
    written = spec["containers"][0]["resources"]["requests"]
    memory = float(written["memory"].removesuffix("Gi"))
    return {GPU: float(written[GPU]), "cpu": float(written["cpu"]), "memory": memory}


def free_of(one: Json, pods: list[Json]) -> tuple[dict[str, float], dict[str, float]]:
    """What a node has, and what of it is free."""
    written = one["status"]["allocatable"]
    have = {
        GPU: float(written[GPU]),
        "cpu": float(written["cpu"]),
        "memory": float(written["memory"].removesuffix("Gi")),
    }
    free = dict(have)
    for pod in pods:
        if pod["spec"]["nodeName"] == one["metadata"]["name"]:
            requests = pod["spec"]["containers"][0]["resources"]["requests"]
            for name in free:
                free[name] -= float(str(requests[name]).removesuffix("Gi"))
    return have, free


def against(one: Json, pods: list[Json], manifest: Json) -> frozenset[str]:
    """What keeps the pod off a node, found here by itself."""
    spec = manifest["spec"]["template"]["spec"]
    tolerated = {row["key"] for row in spec.get("tolerations", ())}
    found = {f"taint {row['key']}" for row in one["spec"]["taints"] if row["key"] not in tolerated}
    if one["spec"]["unschedulable"]:
        found.add("cordon")
    labels = one["metadata"]["labels"]
    found |= {
        f"label {key}" if key in labels else f"no label {key}"
        for key, value in spec.get("nodeSelector", {}).items()
        if labels.get(key) != value
    }
    on = [pod["spec"] for pod in pods if pod["spec"]["nodeName"] == one["metadata"]["name"]]
    if has_port(spec) and any(map(has_port, on)):
        found.add("port")
    _, free = free_of(one, pods)
    return frozenset(
        found | {name for name, many in asked_of(manifest).items() if many > free[name]}
    )


def has_port(spec: Json) -> bool:
    return "ports" in spec["containers"][0]


def told(text: str) -> frozenset[str]:
    """The same, out of a sentence."""
    found = {f"taint {key}" for key in re.findall(r"not tolerate their taint (\w+)=", text)}
    found |= {f"label {key}" for key, _ in SAID.findall(text)}
    found |= {
        f"no label {key}" for key in re.findall(r"requires (\w+) \w+, which they do not", text)
    }
    if "they are cordoned" in text:
        found.add("cordon")
    if "host port is already in use" in text:
        found.add("port")
    return frozenset(found | {NAMES.get(row[2], row[2]) for row in LACKS.findall(text)})


@given(fleet=fleets(), manifest=workloads())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_each_reason_holds_of_every_node_that_it_counts(
    tmp_path: Path, fleet: tuple[list[Json], list[Json]], manifest: Json
) -> None:
    nodes, pods = fleet
    work, groups = fitted(tmp_path, [*nodes, *pods], manifest)
    if work.verdict == "placed":
        assert work.reasons == ()
        return
    by_node = {one["metadata"]["name"]: against(one, pods, manifest) for one in nodes}
    assert Counter({(one.group, told(one.text)): one.nodes for one in work.reasons}) == Counter(
        (groups[name], things) for name, things in by_node.items()
    )
    room = {one["metadata"]["name"]: free_of(one, pods) for one in nodes}
    for one in work.reasons:
        assert one.of == Counter(groups.values())[one.group]
        mine = [
            name for name in by_node if (groups[name], by_node[name]) == (one.group, told(one.text))
        ]
        labels = [each["metadata"]["labels"] for each in nodes if each["metadata"]["name"] in mine]
        for key, values in SAID.findall(one.text):
            assert {each[key] for each in labels} == set(values.split(" or "))
        for asked, _, name, number, where in LACKS.findall(one.text):
            key = NAMES.get(name, name)
            assert float(asked) == asked_of(manifest)[key]
            most = max(room[at][where == "free"][key] for at in mine)
            assert (0 if number == "none" else float(number)) == max(0, most)


@given(fleet=fleets(), manifest=workloads())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_would_have_to_change_makes_room(
    tmp_path: Path, fleet: tuple[list[Json], list[Json]], manifest: Json
) -> None:
    nodes, pods = fleet
    work, groups = fitted(tmp_path, [*nodes, *pods], manifest)
    for one in work.reasons:
        assert one.change is not None
        mine = {name for name, group in groups.items() if group == one.group}
        others = [each for each in nodes if each["metadata"]["name"] not in mine]
        kept = [each for each in nodes if each["metadata"]["name"] in mine]
        changed, there, runs = applied(one.change.text, manifest, kept, pods)
        again, _ = fitted(tmp_path, [*there, *others, *runs], changed)
        assert again.verdict == "placed", one


def applied(
    change: str, manifest: Json, nodes: list[Json], pods: list[Json]
) -> tuple[Json, list[Json], list[Json]]:
    """The workload, the nodes of the group and what runs, once an order is followed."""
    manifest, nodes = copy.deepcopy(manifest), copy.deepcopy(nodes)
    spec: dict[str, Any] = manifest["spec"]["template"]["spec"]
    resources = spec["containers"][0]["resources"]
    for order in change.split("; "):
        if found := re.fullmatch(r"tolerate (\w+)=(\w+):(\w+)", order):
            key, value, effect = found.groups()
            spec["tolerations"].append({"key": key, "value": value, "effect": effect})
        elif found := re.fullmatch(r"do not require the label (\w+)", order):
            del spec["nodeSelector"][found[1]]
        elif found := re.fullmatch(r"require (disk) (\w+)", order):
            spec["nodeSelector"][found[1]] = found[2]
        elif order == "delete its host port":
            del spec["containers"][0]["ports"]
        elif order == "uncordon one of them":
            for one in nodes:
                one["spec"]["unschedulable"] = False
        elif order.startswith("ask for at most "):
            order = order.partition(", or wait")[0]
            for number, unit, name in re.findall(
                r"([\d.]+)(Gi|) (nvidia.com/gpu|CPU|memory)", order
            ):
                for field in ("requests", "limits"):
                    resources[field][NAMES.get(name, name)] = number + unit
        elif order.startswith(("wait until one of them has ", "wait until the node has ")):
            away = {one["metadata"]["name"] for one in nodes}
            pods = [pod for pod in pods if pod["spec"]["nodeName"] not in away]
        else:
            pytest.fail(f"nobody knows what to do: {order}")
    return manifest, nodes, pods
