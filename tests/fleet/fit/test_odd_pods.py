"""Pods that are not written as pods, that wait for somebody else, or that nobody would take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuspec import InputError
from tests.fleet.fit.objects import PROFILE, Fit, Json, One, deployment, gang, pod_spec

GPU = "nvidia.com/gpu"


def pod(resources: Json | None = None, **spec: Any) -> Json:
    made = pod_spec(gpus=1, **spec)
    if resources is not None:
        made["containers"][0]["resources"] = resources
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": made}


def test_resources_that_lie_outside_of_containers(one: One) -> None:
    spec = {key: value for key, value in pod_spec().items() if key != "containers"}
    nim = {
        "apiVersion": "apps.nvidia.com/v1alpha1",
        "kind": "NIMService",
        "metadata": {"name": "nim", "namespace": "ml"},
        "spec": {**spec, "replicas": 5, "resources": {"limits": {GPU: 8}}},
    }
    found = one(nim)
    assert (found.verdict, found.placed, found.requests) == ("partly", 4, {GPU: 8})


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ({"limits": {GPU: "500m"}}, "limits.nvidia.com/gpu is `500m`, which is not a whole number"),
        ({"requests": {GPU: 1}}, "requests.nvidia.com/gpu needs an equal limit, but has none"),
        (
            {"requests": {GPU: 1}, "limits": {GPU: 2}},
            "requests.nvidia.com/gpu is `1`, but its limit is `2`",
        ),
    ],
)
def test_devices_that_the_api_server_refuses(one: One, resources: Json, told: str) -> None:
    found = one(pod(resources))
    assert (found.verdict, found.placed) == ("refused", 0)
    assert found.notes == (f"the API server rejects it: main: {told}",)


def test_a_pod_that_is_refused_is_told_what_keeps_it_from_the_nodes_too(one: One) -> None:
    found = one(pod({"requests": {GPU: 1}}, tolerations=[]))
    assert found.verdict == "refused"
    (reason,) = (reason for reason in found.reasons if reason.group == "h100")
    assert reason.text == "it does not tolerate their taint nvidia.com/gpu=present:NoSchedule"
    assert found.message is None  # no scheduler sees it


@pytest.mark.parametrize("written", ["1", 1, "1000m", "1e0"])
def test_one_device_is_one_however_it_is_written(one: One, written: object) -> None:
    assert one(pod({"requests": {GPU: "1"}, "limits": {GPU: written}})).verdict == "placed"


def test_what_is_not_known_of_a_pod_is_said(one: One) -> None:
    gated = one(pod(schedulingGates=[{"name": "example.com/wait"}]))
    assert gated.notes == ("it waits until its scheduling gates are removed: example.com/wait",)
    claims = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    assert one(pod(resourceClaims=claims)).notes == (
        "it requests devices by claims, but no ResourceSlice lists any: they are not counted",
    )
    text = "its PriorityClass high is unknown: its priority counts as 0"
    known = {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
    known |= {"apiVersion": "scheduling.k8s.io/v1"}
    assert one(pod(priorityClassName="high")).notes == (text,)
    assert one(pod(priorityClassName="high"), known).notes == ()
    assert one(pod(priorityClassName="system-node-critical")).notes == ()


def test_the_same_object_twice_is_said(fit: Fit) -> None:
    first, other, second = fit(deployment(), deployment("other"), deployment()).workloads
    assert first.notes == other.notes == ()
    assert second.notes == (f"it is defined at {first.place} too: both are counted",)


def test_why_a_gang_finds_no_room_is_seen_while_its_pods_hold_theirs(one: One) -> None:
    found = one(gang(workers=5, gpus=8))
    assert [reason.text for reason in found.reasons if reason.group == "h100"] == [
        "it asks for 8 nvidia.com/gpu (none free)"
    ]


def test_a_fleet_larger_than_any_is_refused_before_it_fills_the_memory(fit: Fit) -> None:
    with pytest.raises(InputError, match="more than the limit of 200,000"):
        fit(deployment(), profile=PROFILE.replace("nodes: 4", "nodes: 100000000"))


def test_advice_is_given_where_most_is_asked_for(one: One) -> None:
    """An init container that needs more CPU than the others do together."""
    first = {"name": "first", "image": "x", "resources": {"requests": {"cpu": 200}}}
    found = one(pod(initContainers=[first]))
    (advice,) = found.advice
    assert advice.text.startswith("ask for 16 CPU instead of 200")
    assert advice.place is not None
    lines = Path(advice.place.file).read_text().splitlines()
    assert lines[advice.place.line - 1].strip() == "cpu: 200"


def test_a_number_that_a_label_is_to_be_above(one: One) -> None:
    expression = {"key": "example.com/size", "operator": "Gt", "values": ["7"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    found = one(pod(affinity=affinity))
    text = "it requires example.com/size above 7, which they do not have"
    assert text in [part for reason in found.reasons for part in reason.text.split("; ")]


@pytest.mark.parametrize(
    ("model", "verdict", "said"),
    [
        ("H100-80GB", "not placed", "are those of the smallest common machines with H100-80GB"),
        ("A40", "placed", "are unlimited"),
    ],
)
def test_what_nodes_have_that_nobody_tells(fit: Fit, model: str, verdict: str, said: str) -> None:
    profile = f"""\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {{name: bare}}
spec:
  kubernetes: "1.37"
  pools:
    - {{name: some, gpu: {{model: {model}, count: 8}}, nodes: 2}}
"""
    report = fit(deployment(h100=False, cpu="500"), profile=profile)
    assert report.workloads[0].verdict == verdict
    start = "CPU and memory of a node of pool some"
    assert f"{start} {said}: its profile has no `allocatable`" in report.notes
    shown = {name for row in report.rows_after for name in row.free}
    assert ("cpu" in shown) is (model == "H100-80GB")
    assert "ephemeral-storage" not in shown
