"""GPU850: beyond what its page shows."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.kinds.knative import WITHHELD
from gpuspec.lint.rules.schema.feature_off import FIELDS, VOLUMES
from gpuspec.spec.knative import FEATURES
from gpuspec.targets import _knative_pod
from tests.lint.sets import base

NEEDED = ("affinity", "persistent-volume-claim", "securitycontext", "tolerations")


def said(folder: Path, features: Any, *objects: Any) -> list[str]:
    """What is found with a profile that lists features."""
    profile = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "here"},
        "spec": {"kubernetes": "1.36", "knative": {"features": features}},
    }
    (folder / "profile.yaml").write_text(json.dumps(profile))
    (folder / "made.yaml").write_text(yaml.safe_dump_all(objects))
    (known,) = gpuspec.load_profiles(str(folder / "profile.yaml"))
    found = gpuspec.lint(str(folder / "made.yaml"), profile=known, fixes=False).findings
    return [one.message for one in found if one.rule == "GPU850"]


def config(**data: str) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config-features", "namespace": "knative-serving"},
        "data": {key.replace("_", "-"): value for key, value in data.items()},
    }


def named(*parts: str) -> list[str]:
    return [f"kubernetes.podspec-{each}" for each in parts]


def test_a_profile_that_lists_some_tells_of_the_others(tmp_path: Path) -> None:
    (one,) = said(tmp_path, named(*NEEDED[:-1]), base("knative-service"))
    assert "`tolerations` (kubernetes.podspec-tolerations)" in one
    assert "that the profile does not enable" in one
    assert said(tmp_path, named(*NEEDED), base("knative-service")) == []
    # A profile that lists none may not know.
    assert said(tmp_path, [], base("knative-service")) == []


def test_the_clusters_own_word_comes_first(tmp_path: Path) -> None:
    enabled = {f"kubernetes.podspec-{each}": "Enabled" for each in NEEDED[:2]}
    own = config(
        **enabled, secure_pod_defaults="Enabled", **{"kubernetes.podspec-tolerations": "Allowed"}
    )
    assert said(tmp_path, named(*NEEDED), base("knative-service"), own) == []
    (one,) = said(tmp_path, named(*NEEDED), base("knative-service"), config())
    assert "ConfigMap `config-features`" in one
    assert all(feature in one for feature in named(*NEEDED))


@pytest.mark.parametrize(("mode", "found"), [("Knative", 1), ("Standard", 0), (None, 0)])
def test_an_inferenceservice_that_is_knatives(tmp_path: Path, mode: str | None, found: int) -> None:
    """Without a word of its own the cluster decides, which nobody knows."""
    pod = base("knative-service")["spec"]["template"]["spec"]
    told = {"annotations": {"serving.kserve.io/deploymentMode": mode}} if mode else {}
    made = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "chat", "namespace": "serving", **told},
        "spec": {"predictor": {"minReplicas": 1, **pod}},
    }
    assert len(said(tmp_path, named("affinity"), made)) == found


def test_a_claim_that_is_written_takes_one_more(tmp_path: Path) -> None:
    one = base("knative-service")
    *_, claim = one["spec"]["template"]["spec"]["volumes"]
    claim["persistentVolumeClaim"] = {"claimName": "weights"}
    (message,) = said(tmp_path, named(*NEEDED), one)
    assert "kubernetes.podspec-persistent-volume-write" in message


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]},
            "`fieldRef` (kubernetes.podspec-fieldref)",
        ),
        (
            {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}},
            "`capabilities.add` (kubernetes.containerspec-addcapabilities)",
        ),
        ({"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}}}, None),
        ({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}]}, None),
    ],
)
def test_what_a_container_takes(tmp_path: Path, fields: Any, words: str | None) -> None:
    one = base("knative-service")
    (container,) = one["spec"]["template"]["spec"]["containers"]
    container |= fields
    found = said(tmp_path, named(*NEEDED), one)
    assert [words is not None and words in each for each in found] == ([True] if words else [])
    enabled = [*named(*NEEDED, "fieldref"), "kubernetes.containerspec-addcapabilities"]
    assert said(tmp_path, enabled, one) == []


def test_the_rule_and_the_target_know_the_same() -> None:
    """What is rendered is refused for what is found; and what is withheld for good has no feature."""
    own = {*FIELDS.values(), *VOLUMES.values()}
    # The others are of containers, and of claims that are written.
    assert {each for each in _knative_pod.VOLUMES.values() if each} == {*VOLUMES.values()}
    rendered = {each for each in _knative_pod.POD.values() if each.startswith("kubernetes.")}
    assert rendered <= own
    assert FIELDS.keys() == WITHHELD.pod - {
        *("activeDeadlineSeconds", "nodeName", "restartPolicy", "terminationGracePeriodSeconds")
    }
    assert {*FEATURES} - own == {
        "kubernetes.containerspec-addcapabilities",
        "kubernetes.podspec-fieldref",
        "kubernetes.podspec-persistent-volume-write",
    }
