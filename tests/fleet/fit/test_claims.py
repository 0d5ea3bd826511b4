"""Pods that ask for devices by claims, on pools whose GPUs a DRA driver hands out."""

from __future__ import annotations

from typing import Any

import pytest

from gpuspec.fleet.claims import devices
from gpuspec.fleet.claims.allocating import allocate
from tests.fleet.fit.objects import PROFILE, Fit, Json, deployment
from tests.fleet.fit.test_live_claims import asking, request, template
from tests.fleet.fit.test_quotas import resource_quota

CLAIMED = PROFILE.replace(
    "gpu: {model: H100-80GB, count: 8}", "gpu: {model: H100-80GB, count: 8, dra: {by: claim}}"
)
CLASS = ".deviceclass.resource.k8s.io/devices"
MEMORY = "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('70Gi')) >= 0"


def pods(replicas: int) -> Json:
    made = asking(replicas)
    made["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    return made


def test_devices_are_those_that_the_driver_would_list(fit: Fit) -> None:
    half = template(request(4, "gpu.nvidia.com", MEMORY))
    (found,) = fit(half, pods(9), profile=CLAIMED).workloads
    assert (found.placed, [one.group for one in found.landings]) == (8, ["h100"])


def test_pods_that_claim_the_same_are_tried_once_on_a_node(
    fit: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many workloads there are: only the node that one is placed on is asked anew."""
    tried = 0

    def counted(*given: Any) -> Any:
        nonlocal tried
        tried += 1
        return allocate(*given)

    monkeypatch.setattr(devices, "allocate", counted)

    def tries(workloads: int, nodes: int) -> int:
        nonlocal tried
        tried = 0
        made: list[Json] = []
        for at in range(workloads):
            (spec := pods(1))["metadata"]["name"] = f"w{at}"
            template_ = spec["spec"]["template"]["spec"]
            template_["resourceClaims"][0]["resourceClaimTemplateName"] = f"gpus-{at}"
            template_["containers"][0]["resources"]["requests"]["cpu"] = f"{1000 + at}m"
            made += [template(request(4), name=f"gpus-{at}"), spec]
        profile = CLAIMED.replace("nodes: 4", f"nodes: {nodes}")
        report = fit(*made, profile=profile)
        assert [one.verdict for one in report.workloads] == ["placed"] * workloads
        return tried

    assert tries(40, 30) - tries(20, 30) <= 2 * 20
    assert tries(20, 60) - tries(20, 30) <= 4 * 30


def test_what_a_driver_lists_besides_is_not_known(fit: Fit) -> None:
    near = {"matchAttribute": "resource.kubernetes.io/pcieRoot"}
    (found,) = fit(template(request(4), constraints=[near]), pods(1), profile=CLAIMED).workloads
    assert found.verdict == "unknown"
    assert "the resource.kubernetes.io/pcieRoot of devices is unknown" in found.notes
    said = "device.attributes['gpu.nvidia.com'].brand == 'Nvidia'"
    some = template(request(1, "gpu.nvidia.com", said))
    (other,) = fit(some, pods(1), profile=CLAIMED).workloads
    assert other.verdict == "unknown"


def test_a_resource_of_a_pool_is_had_through_its_class(fit: Fit) -> None:
    profile = CLAIMED.replace("by: claim", "by: extended-resource")
    (found,) = fit(deployment(gpus=8, replicas=5), profile=profile).workloads
    assert found.placed == 4
    assert "cannot allocate all claims" in (found.message or "")


@pytest.mark.parametrize("key", ["requests.nvidia.com/gpu", f"gpu.nvidia.com{CLASS}"])
def test_a_quota_counts_the_devices_of_claims(fit: Fit, key: str) -> None:
    quota = resource_quota({key: 8})
    (found,) = fit(quota, template(request(4)), pods(3), profile=CLAIMED).workloads
    assert (found.verdict, found.placed) == ("partly", 2)
    text = "the quota of namespace ml has 0 of 8 nvidia.com/gpu left, but the workload requests 4"
    assert text in found.notes
    other = resource_quota({f"mig.nvidia.com{CLASS}": 1})
    report = fit(other, template(request(4)), pods(1), profile=CLAIMED)
    assert any(f"limits mig.nvidia.com{CLASS}: not counted" in note for note in report.notes)


def test_a_queue_of_the_pool_admits_them(fit: Fit) -> None:
    more = "  queues:\n    - {name: research, namespaces: [ml], pools: [{pool: h100, gpus: 8}]}\n"
    queued = pods(2)
    queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "research"}
    (found,) = fit(template(request(4)), queued, profile=CLAIMED, more=more).workloads
    assert found.verdict == "placed", found.notes


def test_a_channel_between_nodes_is_no_gpu(fit: Fit) -> None:
    """The controller of ComputeDomains makes its template, and a device for it on each node."""
    domain = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": "ring", "namespace": "ml"},
        "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": "ring-channel"}}},
    }
    made = pods(2)
    spec = made["spec"]["template"]["spec"]
    spec["resourceClaims"].append({"name": "ring", "resourceClaimTemplateName": "ring-channel"})
    (found,) = fit(domain, template(request(8)), made, profile=CLAIMED).workloads
    assert (found.verdict, found.gpus) == ("placed", 8)
    (open_,) = fit(template(request(8)), made, profile=CLAIMED).workloads
    assert "ResourceClaimTemplate ring-channel is unknown" in open_.notes


def test_gpus_of_every_maker_whose_driver_is_known_count(fit: Fit) -> None:
    amd = """\
    - name: mi300x
      gpu: {model: MI300X, count: 8, resource: amd.com/gpu, dra: {by: claim}}
      allocatable: {cpu: 129, memory: 1028Gi, pods: 110}
      labels: {amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM}
      nodes: 1
"""
    profile = CLAIMED.replace("    - name: t4", amd + "    - name: t4")
    report = fit(template(request(4, "gpu.amd.com")), pods(3), profile=profile)
    (found,) = report.workloads
    assert (found.placed, found.gpus, found.landings[0].group) == (2, 4, "mi300x")
    assert [len(row.cells) for row in report.rows_after if row.group == "mi300x"] == [8]
