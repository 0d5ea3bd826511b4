"""Labels, provenance, and the reasons behind every value."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make

KINDS = ("Training", "FineTune", "BatchInference", "Inference")


@pytest.mark.parametrize("kind", KINDS)
def test_recommended_labels_and_the_owner_stand_on_objects_and_pods(make: Make, kind: str) -> None:
    """C-46: whose it is."""
    made = make(kind, owner="search", partOf="shop", labels={"team": "ranking"})
    for labels in (
        *(o["metadata"]["labels"] for o in made.objects),
        made.template["metadata"]["labels"],
    ):
        assert labels["app.kubernetes.io/name"] == "work"
        assert labels["app.kubernetes.io/managed-by"] == "gpuspec"
        assert labels["app.kubernetes.io/part-of"] == "shop"
        assert labels["gpuspec.dev/owner"] == "search"
        assert labels["team"] == "ranking"


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_came_from_stands_on_the_object_and_never_in_the_pod(
    make: Make, words: ModuleType, kind: str
) -> None:
    """C-45: an audit trail that restarts nothing."""
    made = make(kind, words.cluster(words.pool()))
    for item in made.objects:
        annotations = item["metadata"]["annotations"]
        for name in ("version", "spec-digest", "profile-digest", "templates-digest", "image"):
            assert f"gpuspec.dev/{name}" in annotations
    assert "digest" not in str(made.template["metadata"])
    assert "gpuspec.dev/version" not in str(made.template)


def test_model_and_data_are_recorded_with_their_versions(make: Make) -> None:
    """C-44, C-45: image, model, revision and data."""
    made = make(
        "FineTune",
        baseModel={"id": "org/base", "revision": "abc", "source": {"pvc": "w"}},
        dataset={"pvc": "data", "path": "clean", "version": "2026-05"},
    )
    annotations = made.workload["metadata"]["annotations"]
    assert annotations["gpuspec.dev/model"] == "org/base"
    assert annotations["gpuspec.dev/model-revision"] == "abc"
    assert annotations["gpuspec.dev/dataset"] == "data/clean@2026-05"


def test_the_digest_of_the_spec_changes_with_it(make: Make) -> None:
    def digest(**spec: Any) -> str:
        made = make("Training", **spec)
        return made.workload["metadata"]["annotations"]["gpuspec.dev/spec-digest"]

    assert digest() == digest() != digest(owner="me")


@pytest.mark.parametrize("kind", KINDS)
def test_every_decision_says_why_in_words(make: Make, words: ModuleType, kind: str) -> None:
    side = {"name": "log", "image": "log:1", "ports": {"metrics": 9100}}
    profile = words.cluster(words.pool(spare=1), metrics={"source": "custom-metrics"})
    made = make(kind, profile, sidecars=[side], env={"A": "b"})
    decisions = made.rendering.decisions()
    assert len(decisions) > 40
    for decision in decisions:
        assert len(decision.reason.split()) >= 2, f"{decision.path}: {decision.reason!r}"
        kinds = ("spec", "profile", "table", "derived", "default")
        assert decision.origin.startswith(kinds), decision.origin


def test_pull_secrets_of_spec_and_profile_are_joined(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(imagePullSecrets=["org"]), imagePullSecrets=["own"])
    assert made.pod["imagePullSecrets"] == [{"name": "own"}, {"name": "org"}]
    assert "imagePullSecrets" not in make("Training").pod
