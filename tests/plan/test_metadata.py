"""Labels, provenance, and the reasons behind every value."""

from types import ModuleType
from typing import Any

import pytest

from gpuspec.spec import extends
from gpuspec.spec.filled import ProfileFact
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
    carrier = made.workload["metadata"]["annotations"]
    assert {"gpuspec.dev/image", "gpuspec.dev/digest"} <= carrier.keys()
    for item in made.objects:
        if item is not made.workload:
            assert "annotations" not in item["metadata"]
    assert "gpuspec.dev/" not in str(made.template["metadata"].get("annotations"))


def test_a_release_changes_no_object_that_it_renders_alike(
    make: Make, words: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever keeps rendered objects in Git sees of an upgrade what it changes, and nothing else."""
    profile = words.cluster(words.pool(), extends="gke")
    before = make("Inference", profile)
    monkeypatch.setattr("gpuspec.plan.provenance.__version__", "99.0.0")
    assert make("Inference", profile).objects == before.objects
    # Nor does what a release newly knows of a provider, where nothing that is rendered follows.
    known = extends._facts
    monkeypatch.setattr(
        "gpuspec.spec.extends._facts",
        lambda preset: [*known(preset), ProfileFact(("spec", "installed", "new"), "1.0", "a page")],
    )
    after = make("Inference", profile)
    assert after.rendering.resolution.profile.spec.installed == {"new": "1.0"}
    assert after.workload["metadata"] == before.workload["metadata"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_profile_may_ask_for_all_of_it_on_every_object(
    make: Make, words: ModuleType, kind: str
) -> None:
    made = make(kind, words.cluster(words.pool(), provenance="full"))
    for item in made.objects:
        annotations = item["metadata"]["annotations"]
        for name in ("version", "spec-digest", "profile-digest", "templates-digest", "image"):
            assert f"gpuspec.dev/{name}" in annotations
        assert annotations["gpuspec.dev/profile"] == "here"
    assert "digest" not in str(made.template["metadata"])
    assert "gpuspec.dev/version" not in str(made.template)


@pytest.mark.parametrize("kind", KINDS)
def test_the_specs_own_annotations_stand_on_every_object(make: Make, kind: str) -> None:
    made = make(kind, annotations={"example.com/runbook": "here"})
    for item in made.objects:
        assert item["metadata"]["annotations"]["example.com/runbook"] == "here"


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


def test_the_digest_changes_with_spec_and_profile(make: Make, words: ModuleType) -> None:
    def digest(profile: Any = None, **spec: Any) -> str:
        made = make("Training", profile, **spec)
        return made.workload["metadata"]["annotations"]["gpuspec.dev/digest"]

    assert digest() == digest()
    other = words.cluster(words.pool(), imagePullSecrets=["org"])
    found = [digest(), digest(owner="me"), digest(words.cluster(words.pool())), digest(other)]
    assert len({*found}) == len(found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_decision_says_why_in_words(make: Make, words: ModuleType, kind: str) -> None:
    side = {"name": "log", "image": "log:1", "ports": {"metrics": 9100}}
    profile = words.cluster(words.pool(spare=1), metrics={"source": "custom-metrics"})
    made = make(kind, profile, sidecars=[side], env={"A": "b"})
    explanations = made.rendering.explanations()
    assert len(explanations) > 40
    for explanation in explanations:
        assert len(explanation.reason.split()) >= 2, f"{explanation.path}: {explanation.reason!r}"
        kinds = ("spec", "profile", "table", "derived", "default")
        assert explanation.origin.startswith(kinds), explanation.origin


def test_pull_secrets_of_spec_and_profile_are_joined(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(imagePullSecrets=["org"]), imagePullSecrets=["own"])
    assert made.pod["imagePullSecrets"] == [{"name": "own"}, {"name": "org"}]
    assert "imagePullSecrets" not in make("Training").pod


def test_a_fine_tune_says_what_came_of_what(make: Make) -> None:
    """Method, base model, data and result, each with its revision, and on the Job alone."""
    base = {"id": "org/base", "revision": "8268fe30", "size": "16Gi", "source": {"pvc": "w"}}
    made = make(
        "FineTune",
        baseModel=base,
        method="qlora",
        dataset={"hub": {"id": "org/tickets", "revision": "5f0b02c7"}},
        output={"pvc": "adapters", "path": "tickets"},
    )
    said = made.workload["metadata"]["annotations"]
    assert {key.partition("/")[2]: value for key, value in said.items()}.items() >= {
        "method": "qlora",
        "model": "org/base",
        "model-revision": "8268fe30",
        "dataset": "org/tickets@5f0b02c7",
        "output": "adapters/tickets",
    }.items()
    assert "gpuspec.dev/" not in str(made.template["metadata"].get("annotations"))
    assert (
        made.reason('metadata.annotations["gpuspec.dev/method"]') == "the method of the fine-tune"
    )


def test_how_it_is_adapted_renames_no_job(make: Make) -> None:
    """Annotations are no part of what a Job is named by."""
    one, other = (make("FineTune", method=method) for method in ("full", "lora"))
    assert one.workload["metadata"]["name"] == other.workload["metadata"]["name"]
    assert "gpuspec.dev/output" not in one.workload["metadata"]["annotations"]
    assert "gpuspec.dev/method" not in make("Training").workload["metadata"]["annotations"]
