"""Pods that ask for devices by claims, on nodes whose devices ResourceSlices tell of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane import slices
from tests.fleet.fit.objects import Fit, deployment
from tests.fleet.fit.test_live import Json, node, running
from tests.fleet.fit.test_live_pods import fit, of

__all__ = ["fit"]
API = slices.API
ATTRIBUTES = "device.attributes['gpu.nvidia.com']"


def cluster(*made: list[Json]) -> list[Json]:
    """Nodes `a`, `b`, … with these slices, and the driver's classes."""
    nodes = [node(name, 0) for name, _ in zip("abcdef", made, strict=False)]
    return [*nodes, *slices.classes(), *(one for each in made for one in each)]


def request(count: int = 1, known: str = "gpu.nvidia.com", *said: str, **more: Any) -> Json:
    exactly: Json = {"deviceClassName": known, "count": count, **more}
    if said:
        exactly["selectors"] = [{"cel": {"expression": one}} for one in said]
    return {"name": "gpu", "exactly": exactly}


def template(*requests: Json, name: str = "gpus", **more: Any) -> Json:
    spec = {"spec": {"devices": {"requests": list(requests), **more}}}
    meta = {"name": name, "namespace": "ml"}
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": meta, "spec": spec}


def claim(*requests: Json, name: str, **more: Any) -> Json:
    made = template(*requests, name=name)
    return {**made, "kind": "ResourceClaim", "spec": made["spec"]["spec"], **more}


def asking(replicas: int = 1, by: str = "resourceClaimTemplateName", name: str = "gpus") -> Json:
    made = deployment(replicas=replicas, h100=False)
    spec = made["spec"]["template"]["spec"]
    resources = {"requests": {"cpu": "1"}, "claims": [{"name": "gpu"}]}
    spec["containers"][0]["resources"] = resources
    spec["resourceClaims"] = [{"name": "gpu", by: name}]
    return made


def given(node_: str, *devices: str, **more: Any) -> Json:
    """The status of a claim that has devices of a node."""
    rows = [
        {"request": "gpu", "driver": "gpu.nvidia.com", "pool": node_, "device": one}
        for one in devices
    ]
    field = {"key": "metadata.name", "operator": "In", "values": [node_]}
    selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    allocation = {
        "devices": {"results": rows},
        "nodeSelector": selector,
        "allocationTimestamp": "2026-01-01T00:00:00Z",
    }
    return {"allocation": allocation, **more}


def test_the_devices_of_claims_are_gpus(fit: Fit) -> None:
    """C-56: on a live cluster, whose slices tell of them."""
    live = cluster(slices.whole("a", "H100-80GB", 8), slices.whole("b", "H100-80GB", 4))
    report = fit(template(request(4)), asking(4), live=live)
    (found,) = report.workloads
    assert (found.verdict, found.placed, found.gpus) == ("partly", 3, 4)
    assert found.message == (
        "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are "
        "available: 2 Preemption is not helpful for scheduling."
    )
    assert {room.group: room.free for room in found.rooms} == {
        "h100-80gb-x8": 2,
        "h100-80gb-x4": 1,
    }
    assert (report.before.gpus, report.after.idle) == (12_000, 0)
    assert "it asks for 4 gpu.nvidia.com (none free)" in [reason.text for reason in found.reasons]


def test_a_gpu_that_is_advertised_too_is_shown_once(fit: Fit) -> None:
    live = [node("a", 8), *slices.classes(), *slices.whole("a", "H100-80GB", 8)]
    report = fit(template(request(8)), asking(), live=live)
    assert report.before.gpus == 8_000
    assert report.workloads[0].verdict == "placed"


def test_what_claims_have_is_taken_until_their_pod_makes_way(fit: Fit) -> None:
    pod = of(running("chat-5d9-x", "a", 0), "ReplicaSet", "chat-5d9")
    pod["metadata"]["labels"] = {"pod-template-hash": "5d9"}
    pod["spec"]["containers"][0]["resources"] = {"claims": [{"name": "gpu"}]}
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]
    had = claim(request(3), name="chat-5d9-x-gpu", status=given("a", "gpu-0", "gpu-1", "gpu-2"))
    had["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "chat-5d9-x"}]
    live = [*cluster(slices.whole("a", "H100-80GB", 4)), pod, had]
    other = asking()
    other["metadata"]["name"] = "other"
    report = fit(template(request(2)), other, live=live)
    assert report.workloads[0].verdict == "not placed"
    assert report.before.allocated == 3_000
    (same,) = fit(template(request(4)), asking(), live=live).workloads
    assert same.verdict == "placed"


def test_pods_that_share_a_claim_are_where_its_devices_are(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 1), slices.whole("b", "H100-80GB", 1))
    pods = asking(3, by="resourceClaimName", name="shared")
    (found,) = fit(claim(request(), name="shared"), pods, live=live).workloads
    assert (found.verdict, [one.nodes for one in found.landings]) == ("placed", [1])


def test_a_claim_that_nobody_holds_gives_its_devices_back(fit: Fit) -> None:
    """The scheduler takes them from it where its node has no room for the pod."""
    live = cluster(slices.whole("a", "H100-80GB", 1), slices.whole("b", "H100-80GB", 1))
    live[0]["spec"]["unschedulable"] = True
    pods = asking(by="resourceClaimName", name="idle")
    idle = claim(request(), name="idle", status=given("a", "gpu-0"))
    assert fit(pods, live=[*live, idle]).workloads[0].verdict == "placed"
    idle["status"]["reservedFor"] = [{"resource": "pods", "name": "x", "uid": "1"}]
    (held,) = fit(pods, live=[*live, idle]).workloads
    assert held.verdict == "not placed"
    assert "1 resourceclaim not available on the node" in (held.message or "")


def test_partitions_are_shown_where_they_lie(fit: Fit) -> None:
    layout = [("1g.10gb", 0), ("3g.40gb", 4)]
    live = cluster(slices.divided("a", "H100-80GB", layout, layout))
    one = template(request(1, "mig.nvidia.com", f"{ATTRIBUTES}.profile == '3g.40gb'"))
    report = fit(one, asking(3), live=live)
    (found,) = report.workloads
    assert (found.placed, found.rooms[0].each) == (2, 2)
    parts = [part for row in report.rows_after for cell in row.cells for part in cell.parts]
    assert {(part.start, part.slices, part.idle) for part in parts} == {
        (0, 1, True),
        (4, 4, False),
    }


def test_a_gpu_is_divided_as_claims_ask_for_it(fit: Fit) -> None:
    live = cluster(slices.dynamic("a", "H100-80GB", 1))
    half = template(request(1, "mig.nvidia.com", f"{ATTRIBUTES}.profile == '3g.40gb'"))
    assert fit(half, asking(3), live=live).workloads[0].placed == 2


def test_an_expression_that_fails_on_any_device_holds_the_pod(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 1), slices.divided("b", "H100-80GB", []))
    wrong = template(request(1, "gpu.nvidia.com", f"{ATTRIBUTES}.profile == '3g.40gb'"))
    (found,) = fit(wrong, asking(), live=live).workloads
    assert found.verdict == "not placed"
    assert "CEL runtime error: no such key: profile" in (found.message or "")


@pytest.mark.parametrize(
    ("taken_out", "said"),
    [
        ("ResourceClaimTemplate", "ResourceClaimTemplate gpus is unknown"),
        ("DeviceClass", "DeviceClass gpu.nvidia.com is unknown"),
        ("ResourceSlice", "no ResourceSlice lists any"),
    ],
)
def test_what_nothing_tells_of_is_unknown(fit: Fit, taken_out: str, said: str) -> None:
    live = [*cluster(slices.whole("a", "H100-80GB", 1)), template(request()), node("z", 1)]
    kept = [one for one in live if one["kind"] != taken_out]
    (found,) = fit(asking(), live=kept).workloads
    assert any(said in note for note in found.notes)


def test_a_class_that_is_not_there_is_said_as_the_scheduler_says_it(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 1))
    (found,) = fit(template(request(1, "fast")), asking(), live=live).workloads
    said = "0/1 nodes are available: request gpu: device class fast does not exist."
    assert (found.message or "").startswith(said)


def test_a_resource_that_a_class_stands_for_is_had_by_a_claim(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 8))
    pods = deployment(gpus=5, replicas=2, h100=False)
    assert fit(pods, live=live).workloads[0].placed == 1
    for one in live:
        if one["kind"] == "Node":
            one["status"]["nodeInfo"]["kubeletVersion"] = "v1.35.1"
    (old,) = fit(pods, live=live).workloads
    assert "Insufficient nvidia.com/gpu" in (old.message or "")


def test_a_resource_that_nodes_have_in_two_ways_is_not_judged(fit: Fit) -> None:
    live = [*cluster(slices.whole("a", "H100-80GB", 8)), node("plugin", 8)]
    (found,) = fit(deployment(gpus=5, h100=False), live=live).workloads
    assert found.verdict == "unknown"
    assert found.notes == ("some nodes have nvidia.com/gpu by a device plugin, others by claims",)
    same = [node("a", 8), *slices.classes(), *slices.whole("a", "H100-80GB", 8)]
    assert fit(deployment(gpus=5, h100=False), live=same).workloads[0].verdict == "placed"


def test_nodes_with_what_stands_first_come_first(fit: Fit) -> None:
    """All else being equal, the scheduler takes the node whose devices stand earlier in the list."""
    live = cluster(
        slices.whole("a", "A100-80GB", 4),
        slices.whole("b", "H100-80GB", 4),
        slices.whole("c", "A100-80GB", 4),
    )
    first = [
        {"name": name.lower(), **request(4, "gpu.nvidia.com", said)["exactly"]}
        for name in ("H100", "A100")
        for said in [f"{ATTRIBUTES}.productName.contains('{name}')"]
    ]
    claimed = template({"name": "gpu", "firstAvailable": first})
    (found,) = fit(claimed, asking(), live=live).workloads
    assert [one.group for one in found.landings] == ["h100-80gb"]
    assert fit(claimed, asking(3), live=live).workloads[0].placed == 3


def test_a_rule_taints_devices(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 2))
    taint = {"key": "example.com/ill", "effect": "NoExecute"}
    rule: Json = {"apiVersion": API, "kind": "DeviceTaintRule", "metadata": {"name": "ill"}}
    rule["spec"] = {"deviceSelector": {"pool": "a", "device": "gpu-1"}, "taint": taint}
    assert fit(template(request()), asking(2), live=[*live, rule]).workloads[0].placed == 1
    tolerant = request(tolerations=[{"key": "example.com/ill", "operator": "Exists"}])
    assert fit(template(tolerant), asking(2), live=[*live, rule]).workloads[0].placed == 2
    del rule["spec"]["deviceSelector"]
    assert fit(template(request()), asking(2), live=[*live, rule]).workloads[0].placed == 2


def test_no_more_than_256_pods_have_one_claim(fit: Fit) -> None:
    live = cluster(slices.whole("a", "H100-80GB", 1))
    pods = asking(by="resourceClaimName", name="full")
    users = [{"resource": "pods", "name": f"p{at}", "uid": str(at)} for at in range(255)]
    full = claim(request(), name="full", status=given("a", "gpu-0", reservedFor=users))
    assert fit(pods, live=[*live, full]).workloads[0].verdict == "placed"
    users.append({"resource": "pods", "name": "last", "uid": "last"})
    (found,) = fit(pods, live=[*live, full]).workloads
    assert (found.message or "").endswith("Too many: 257: must have at most 256 items")


@pytest.mark.parametrize(("kubelet", "verdict"), [("v1.37.1", "not placed"), ("v1.35.1", "placed")])
def test_a_claim_that_an_older_scheduler_allocated_takes_no_more_pods(
    fit: Fit, kubelet: str, verdict: str
) -> None:
    """Since 1.36 the reservation adds the time of the allocation, which nobody may change."""
    live = cluster(slices.whole("a", "H100-80GB", 1))
    live[0]["status"]["nodeInfo"]["kubeletVersion"] = kubelet
    user = {"resource": "pods", "name": "p", "uid": "p"}
    old = claim(request(), name="old", status=given("a", "gpu-0", reservedFor=[user]))
    del old["status"]["allocation"]["allocationTimestamp"]
    (found,) = fit(asking(by="resourceClaimName", name="old"), live=[*live, old]).workloads
    assert found.verdict == verdict
    if verdict == "not placed":
        assert "a scheduler before 1.36 allocated it" in (found.message or "")


def test_that_nothing_tells_which_devices_are_taken_is_said(fit: Fit) -> None:
    pod = running("other", "a", 0)
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]
    live = [*cluster(slices.whole("a", "H100-80GB", 4)), pod]
    said = "no ResourceClaims were given: devices of claims count as free"
    assert said in fit(template(request()), asking(), live=live).notes
    other = claim(request(), name="other")
    assert said not in fit(template(request()), asking(), live=[*live, other]).notes


def test_more_devices_than_can_be_tried_are_not_judged(fit: Fit) -> None:
    """No claim has more than 32, but a pod may have any number of claims."""
    many = 40
    wide = slices.whole("a", "H100-80GB", 32 * many)
    made = asking()
    spec = made["spec"]["template"]["spec"]
    names = [f"gpu-{at}" for at in range(many)]
    spec["resourceClaims"] = [{"name": name, "resourceClaimTemplateName": "gpus"} for name in names]
    spec["containers"][0]["resources"]["claims"] = [{"name": name} for name in names]
    (found,) = fit(template(request(32)), made, live=cluster(wide)).workloads
    assert found.verdict == "unknown"
    assert "its claims ask for too many devices together" in found.notes
