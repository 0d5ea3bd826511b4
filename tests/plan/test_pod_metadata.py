"""Labels and annotations of pods alone."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference", "Inference"])
def test_they_stand_on_the_pods_and_nowhere_else(make: Make, kind: str) -> None:
    made = make(kind, podLabels={"mesh": "off"}, podAnnotations={"prometheus.io/scrape": "true"})
    assert made.template["metadata"]["labels"]["mesh"] == "off"
    assert made.template["metadata"]["annotations"]["prometheus.io/scrape"] == "true"
    for one in made.objects:
        assert "mesh" not in one["metadata"]["labels"]
        assert "prometheus.io/scrape" not in one["metadata"].get("annotations", {})


def test_a_service_finds_its_pods_as_before(make: Make) -> None:
    plain, labelled = make("Inference"), make("Inference", podLabels={"mesh": "off"})
    assert labelled.one("Service")["spec"]["selector"] == plain.one("Service")["spec"]["selector"]
    assert labelled.workload["spec"]["selector"] == plain.workload["spec"]["selector"]


def test_placeholders_have_none_of_them(make: Make, words: ModuleType) -> None:
    here = words.cluster(words.pool(), priorities={"placeholder": "low"})
    made = make("Inference", here, warm=1, podAnnotations={"example.com/scrape": "true"})
    room = made.one("Deployment", "work-placeholder")["spec"]["template"]["metadata"]
    assert "annotations" not in room


def test_they_win_over_what_keeps_autoscalers_off(make: Make) -> None:
    key = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    made = make("Training", podAnnotations={key: "true"})
    assert made.template["metadata"]["annotations"][key] == "true"


def test_a_word_where_one_cuts_the_pods_off_the_fabric(make: Make, words: ModuleType) -> None:
    key = "k8s.v1.cni.cncf.io/networks"
    rdma = {"resource": "rdma/ib", "memlock": "unlimited", "networks": ["fabric/ib"]}
    here = words.cluster(words.pool(rdma=rdma))
    spec = {"workers": 2, "gpu": {"count": 8}}
    assert f"podAnnotations: {key} replaces the fabric's own, fabric/ib" in (
        make("Training", here, podAnnotations={key: "mine"}, **spec).loud()
    )
    said = make("Training", here, podAnnotations={key: "fabric/ib"}, **spec).loud()
    assert "podAnnotations" not in said
