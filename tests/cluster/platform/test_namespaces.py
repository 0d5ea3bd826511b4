"""Namespaces and quotas of a profile."""

import pytest

from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile


def test_a_namespace_enforces_its_level_and_is_never_pruned(profile: MakeProfile) -> None:
    """The level is pinned to the profile's version; warnings go by the newest."""
    (made,) = namespace_objects(profile("namespaces: [{name: serving}]", "1.35"))
    assert made == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": "serving",
            "labels": {
                "pod-security.kubernetes.io/audit": "restricted",
                "pod-security.kubernetes.io/audit-version": "latest",
                "pod-security.kubernetes.io/enforce": "restricted",
                "pod-security.kubernetes.io/enforce-version": "v1.35",
                "pod-security.kubernetes.io/warn": "restricted",
                "pod-security.kubernetes.io/warn-version": "latest",
            },
            "annotations": {
                "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
                "kustomize.toolkit.fluxcd.io/prune": "disabled",
            },
        },
    }
    assert validate(made, "1.35") == ()


@pytest.mark.parametrize(
    ("level", "warned"), [("baseline", "restricted"), ("restricted", "restricted")]
)
def test_warnings_say_what_is_missing_to_restricted(
    profile: MakeProfile, level: str, warned: str
) -> None:
    (made,) = namespace_objects(profile(f"namespaces: [{{name: a, podSecurity: {level}}}]"))
    labels = made["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == level
    assert labels["pod-security.kubernetes.io/warn"] == warned


def test_privileged_is_a_choice_that_nothing_warns_of(profile: MakeProfile) -> None:
    (made,) = namespace_objects(profile("namespaces: [{name: a, podSecurity: privileged}]"))
    assert sorted(made["metadata"]["labels"]) == [
        "pod-security.kubernetes.io/enforce",
        "pod-security.kubernetes.io/enforce-version",
    ]


def test_a_quota_of_gpus_counts_requests(profile: MakeProfile) -> None:
    """C-39: the only form that Kubernetes takes for an extended resource."""
    space, quota = namespace_objects(
        profile(
            """
namespaces:
  - name: research
    quota: {nvidia.com/gpu: 16, cpu: 200, memory: 2048Gi, rdma/ib: 0}
"""
        )
    )
    assert space["kind"] == "Namespace"
    assert quota["metadata"] == {"name": "gpuspec", "namespace": "research"}
    assert quota["spec"]["hard"] == {
        "requests.cpu": "200",
        "requests.memory": "2Ti",
        "requests.nvidia.com/gpu": "16",
        "requests.rdma/ib": "0",
    }
    assert validate(quota, "1.36") == ()


def test_accounts_may_use_a_constraint_in_their_namespace_alone(profile: MakeProfile) -> None:
    """OpenShift: by a role of the namespace, since a cluster's own constraint has none."""
    _, role, binding = namespace_objects(
        profile(
            """
extends: openshift
namespaces: [{name: serving, scc: {nonroot-v2: [ranker, default]}}]
"""
        )
    )
    assert role["rules"] == [
        {
            "apiGroups": ["security.openshift.io"],
            "resources": ["securitycontextconstraints"],
            "resourceNames": ["nonroot-v2"],
            "verbs": ["use"],
        }
    ]
    assert binding["roleRef"]["name"] == role["metadata"]["name"] == "gpuspec-scc-nonroot-v2"
    assert {one["metadata"]["namespace"] for one in (role, binding)} == {"serving"}
    assert [one["name"] for one in binding["subjects"]] == ["ranker", "default"]
    for made in (role, binding):
        assert validate(made, "1.33") == ()
