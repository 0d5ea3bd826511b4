"""GPU788: beyond what its page shows."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.sets import base, lint

SYNCED = {"argocd.argoproj.io/tracking-id": "ml:jobset.x-k8s.io/JobSet:research/pretrain"}


def application(**spec: Any) -> Any:
    destination = {"server": "https://kubernetes.default.svc", "namespace": "research"}
    source = {"repoURL": "https://git.example.com/ml", "path": ".", "targetRevision": "main"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "ml", "namespace": "argocd"},
        "spec": {"project": "default", "source": source, "destination": destination, **spec},
    }


def said(*objects: Any) -> list[Finding]:
    return [each for each in lint(*objects) if each.rule == "GPU788"]


def jobset(**annotations: str) -> Any:
    one = base("jobset")
    one["metadata"]["annotations"] = annotations
    return one


HEALS = {"syncPolicy": {"automated": {"selfHeal": True}}}


@pytest.mark.parametrize(
    ("spec", "severity", "confidence"),
    [
        ({}, "info", "likely"),
        (HEALS, "warning", "likely"),
        ({"syncPolicy": {"syncOptions": ["ServerSideApply=true"]}}, "info", "possible"),
    ],
)
def test_how_loud_it_is(spec: dict[str, Any], severity: str, confidence: str) -> None:
    [found] = said(jobset(), application(**spec))
    assert (found.severity, found.confidence) == (severity, confidence)
    assert "groupName" in found.message


def test_nobody_who_syncs_it_shows_nothing() -> None:
    assert said(jobset()) == []
    assert said(jobset(**SYNCED))
    compares = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
    assert said(jobset(**SYNCED, **compares)) == []


def test_fields_that_are_left_alone_or_written_are_no_difference() -> None:
    one = jobset()
    paths = ["/spec/replicatedJobs"]
    row = {"group": "jobset.x-k8s.io", "kind": "JobSet", "jsonPointers": paths}
    assert said(one, application(ignoreDifferences=[row])) == []
    [found] = said(one, application(**HEALS))
    one["spec"]["replicatedJobs"][0]["groupName"] = "default"
    later = said(one, application(**HEALS))
    assert not later or later[0].message != found.message


def test_defaults_of_kubernetes_own_kinds_are_known() -> None:
    one = base("deployment")
    one["metadata"] |= {"namespace": "research", "annotations": SYNCED}
    assert said(one, application(**HEALS)) == []
