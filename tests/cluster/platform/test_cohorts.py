"""Kueue's objects of queues that are more than their GPUs: names, quotas by hand, trees, checks."""

from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.cluster.platform.queueing import queue_objects
from gpuspec.manifests import write
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

Object = dict[str, Any]
POOLS = """
pools:
- name: h100
  gpu: {model: H100-80GB, count: 8}
  allocatable: {cpu: 96, memory: 960Gi, ephemeralStorage: 800Gi}
  reserved: {cpu: 0, memory: 0, ephemeralStorage: 0}
  labels: {pool: h100}
- name: spot
  gpu: {model: H100-80GB, count: 8}
  labels: {pool: spot}
"""
KUEUE = 'installed: {kueue: "0.19"}\n'


def named(objects: list[Object], kind: str) -> dict[str, Object]:
    return {made["metadata"]["name"]: made["spec"] for made in objects if made["kind"] == kind}


def quotas(spec: Object, flavor: str = "h100") -> dict[str, Object]:
    """Of one flavor, by resource."""
    (group,) = spec["resourceGroups"]
    (found,) = (each for each in group["flavors"] if each["name"] == flavor)
    return {row.pop("name"): row for row in map(dict, found["resources"])}


def made(profile: MakeProfile, fields: str, kueue: str = KUEUE) -> tuple[list[Object], str]:
    objects, notes = queue_objects(profile(kueue + POOLS + fields))
    assert all(not validate(one, "1.36") for one in objects)
    return objects, "\n".join(notes)


def test_a_queue_is_called_otherwise_in_its_namespaces(profile: MakeProfile) -> None:
    fields = """
queues:
- {name: default, clusterQueue: team-a, namespaces: [a], pools: [{pool: h100, gpus: 8}]}
- {name: default, clusterQueue: team-b, namespaces: [b], pools: [{pool: h100, gpus: 8}]}
"""
    objects, _ = made(profile, fields)
    assert set(named(objects, "ClusterQueue")) == {"team-a", "team-b"}
    local = [one for one in objects if one["kind"] == "LocalQueue"]
    assert [(one["metadata"], one["spec"]["clusterQueue"]) for one in local] == [
        ({"name": "default", "namespace": "a"}, "team-a"),
        ({"name": "default", "namespace": "b"}, "team-b"),
    ]


def test_nothing_is_made_of_a_queue_that_is_there(profile: MakeProfile) -> None:
    there = "{name: q, existing: true, namespaces: [a], pools: [{pool: spot, gpus: 8}]}"
    ours = "{name: r, namespaces: [b], pools: [{pool: h100, gpus: 8}]}"
    objects, notes = made(profile, f"queues: [{there}, {ours}]")
    assert [one["metadata"]["name"] for one in objects] == ["h100", "r", "r"]
    assert "namespace a" not in notes
    assert made(profile, f"queues: [{there}]") == ([], "")


def test_quotas_by_hand_stand_in_place_of_those_that_follow(profile: MakeProfile) -> None:
    """A limit follows from GPUs: of what does not there is none, and none is above the quota."""
    part = "{pool: h100, gpus: 16, borrow: 8, lend: 8, quotas: {memory: 500G, pods: 40}}"
    fields = f"queues: [{{name: q, namespaces: [a], cohort: all, pools: [{part}]}}]"
    objects, _ = made(profile, fields)
    assert quotas(named(objects, "ClusterQueue")["q"]) == {
        "cpu": {"nominalQuota": "192", "borrowingLimit": "96", "lendingLimit": "96"},
        "memory": {"nominalQuota": "500G", "borrowingLimit": "960Gi", "lendingLimit": "500G"},
        "ephemeral-storage": {
            "nominalQuota": "1600Gi",
            "borrowingLimit": "800Gi",
            "lendingLimit": "800Gi",
        },
        "nvidia.com/gpu": {"nominalQuota": "16", "borrowingLimit": "8", "lendingLimit": "8"},
        "pods": {"nominalQuota": "40"},
    }


@pytest.mark.parametrize(("kueue", "version"), [("0.19", "v1beta2"), ("0.13", "v1beta1")])
def test_a_tree_of_cohorts(profile: MakeProfile, kueue: str, version: str) -> None:
    fields = """
queues: [{name: q, namespaces: [a], cohort: lab, pools: [{pool: h100, gpus: 8}]}]
cohorts:
- {name: lab, parent: all, weight: 3, pools: [{pool: h100, gpus: 0, borrow: 16, lend: 4}]}
- {name: all, pools: [{pool: h100, gpus: 32}]}
"""
    objects, notes = made(profile, fields, f'installed: {{kueue: "{kueue}"}}\n')
    assert {one["apiVersion"] for one in objects} == {f"kueue.x-k8s.io/{version}"}
    cohorts = named(objects, "Cohort")
    assert cohorts["lab"]["parentName"] == "all"
    assert cohorts["lab"]["fairSharing"] == {"weight": "3"}
    gpus = quotas(cohorts["lab"])["nvidia.com/gpu"]
    assert gpus == {"nominalQuota": "0", "borrowingLimit": "16", "lendingLimit": "4"}
    assert quotas(cohorts["all"])["nvidia.com/gpu"] == {"nominalQuota": "32"}
    assert "parentName" not in cohorts["all"]
    assert "weight of cohort lab" in notes


def test_admission_checks_are_asked_and_not_made(profile: MakeProfile) -> None:
    fields = """
queues:
- name: q
  namespaces: [a]
  pools: [{pool: h100, gpus: 8}, {pool: spot, gpus: 8}]
  admissionChecks: [{name: budget}, {name: provisioning, pools: [spot]}]
"""
    objects, notes = made(profile, fields)
    assert named(objects, "ClusterQueue")["q"]["admissionChecksStrategy"] == {
        "admissionChecks": [
            {"name": "budget"},
            {"name": "provisioning", "onFlavors": ["spot"]},
        ]
    }
    assert (
        "AdmissionCheck budget is not made here: without it ClusterQueue q admits nothing" in notes
    )


def test_what_is_made_passes_the_linter(profile: MakeProfile, tmp_path: Path) -> None:
    fields = """
queues:
- {name: q, clusterQueue: r, namespaces: [a], cohort: lab, pools: [{pool: h100, gpus: 8, quotas: {pods: 9}}]}
- {name: s, namespaces: [a], cohort: lab, pools: [{pool: h100, gpus: 8}]}
cohorts: [{name: lab, parent: all}, {name: all, pools: [{pool: h100, gpus: 32}]}]
"""
    objects, _ = made(profile, fields)
    path = tmp_path / "queues.yaml"
    path.write_text(write(objects), encoding="utf-8")
    assert list(gpuspec.lint(str(path)).findings) == []
