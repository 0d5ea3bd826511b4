"""Kueue's own admission checks of a profile; a real Kueue judges them in tests/control_plane."""

from typing import Any

import pytest

from gpuspec.cluster.platform.queueing import queue_objects
from gpuspec.manifests import InputError
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

Object = dict[str, Any]
POOLS = """
pools:
- name: h100
  gpu: {model: H100-80GB, count: 8}
  labels: {pool: h100}
  nodes: {max: 4}
- name: slices
  gpu: {model: A100-80GB, count: 2}
  labels: {pool: slices}
  sharing: {mode: mig, strategy: mixed, profiles: {3g.40gb: 2}}
"""
CHECKS = """
admissionChecks:
- {name: nodes, provisioningRequest: {}}
- {name: room, provisioningRequest: {className: check-capacity.autoscaling.x-k8s.io}}
- name: far
  multiKueue: {clusters: [{name: us, kubeConfig: us-config}, {name: eu, kubeConfig: eu-config}]}
"""
QUEUES = """
queues:
- {name: a, namespaces: [ml], pools: [{pool: h100, gpus: 8}], admissionChecks: [{name: nodes}]}
- name: b
  namespaces: [ml]
  pools: [{pool: h100, gpus: 8}, {pool: slices, gpus: 2}]
  admissionChecks: [{name: room, pools: [slices]}, {name: elsewhere}]
"""
HEAD = 'installed: {kueue: "0.19"}\n'


def made(profile: Any) -> tuple[dict[tuple[str, str], Object], list[str]]:
    objects, notes = queue_objects(profile)
    assert not [fault for one in objects for fault in validate(one, "1.36")]
    found = {(one["kind"], one["metadata"]["name"]): one.get("spec", {}) for one in objects}
    return found, list(notes)


def test_an_autoscaler_is_asked_for_the_devices_of_its_pools(profile: MakeProfile) -> None:
    found, notes = made(profile(HEAD + POOLS + CHECKS + QUEUES))
    assert found["ProvisioningRequestConfig", "nodes"] == {
        "provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
        "managedResources": ["nvidia.com/gpu"],
    }
    assert found["ProvisioningRequestConfig", "room"] == {
        "provisioningClassName": "check-capacity.autoscaling.x-k8s.io",
        "managedResources": ["nvidia.com/mig-3g.40gb"],
    }
    assert found["AdmissionCheck", "nodes"] == {
        "controllerName": "kueue.x-k8s.io/provisioning-request",
        "parameters": {
            "apiGroup": "kueue.x-k8s.io",
            "kind": "ProvisioningRequestConfig",
            "name": "nodes",
        },
    }
    assert any("--enable-provisioning-requests" in note for note in notes)


def test_on_gke_its_own_class_is_asked(profile: MakeProfile) -> None:
    gke = "extends: gke\n" + POOLS.replace("mixed", "single")
    found, notes = made(profile(HEAD + gke + CHECKS + QUEUES))
    config = found["ProvisioningRequestConfig", "nodes"]
    assert config["provisioningClassName"] == "queued-provisioning.gke.io"
    assert any("--enable-queued-provisioning" in note for note in notes)


def test_other_clusters_are_named_once_and_reached_by_their_secrets(profile: MakeProfile) -> None:
    found, notes = made(profile(HEAD + POOLS + CHECKS + QUEUES))
    assert found["MultiKueueConfig", "far"] == {"clusters": ["us", "eu"]}
    source = {"kubeConfig": {"location": "us-config", "locationType": "Secret"}}
    assert found["MultiKueueCluster", "us"] == {"clusterSource": source}
    assert any(note.startswith("Secret us-config and eu-config") for note in notes)
    old, _ = made(profile('installed: {kueue: "0.14"}\n' + POOLS + CHECKS + QUEUES))
    assert old["MultiKueueCluster", "us"] == source


def test_only_what_is_not_made_here_is_said_to_be_missing(profile: MakeProfile) -> None:
    _, notes = made(profile(HEAD + POOLS + CHECKS + QUEUES))
    missing = [note for note in notes if "is not made here: without it" in note]
    assert missing == [
        "AdmissionCheck elsewhere is not made here: without it ClusterQueue b admits nothing"
    ]


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ("[{name: a}]", "has no source"),
        ("[{name: a, provisioningRequest: {}, multiKueue: {clusters: []}}]", "has .*and"),
        ("[{name: a, multiKueue: {clusters: []}}]", "0 clusters"),
        (
            "[{name: a, provisioningRequest: {}}, {name: a, provisioningRequest: {}}]",
            "a second admission check",
        ),
        (
            "[{name: a, multiKueue: {clusters: [{name: u, kubeConfig: one}, {name: u, kubeConfig: two}]}}]",
            "uses the kubeconfig of one",
        ),
    ],
)
def test_what_cannot_be_is_refused(profile: MakeProfile, checks: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        profile(f"{HEAD}{POOLS}admissionChecks: {checks}\n")


def test_they_are_kueues(profile: MakeProfile) -> None:
    with pytest.raises(InputError, match="needs Kueue, which is not installed"):
        profile(POOLS + CHECKS)
