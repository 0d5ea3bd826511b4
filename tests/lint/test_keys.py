"""Labels and annotations that one program reads, in one place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.lint.subjects.reading.keys import home, meant
from tests.lint.sets import base, lint


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ray.io/gang-scheduling-enbale", "ray.io/gang-scheduling-enabled"),
        ("kueue.k8s.io/queue-name", "kueue.x-k8s.io/queue-name"),
        ("kueue.x-k8s.io/queue", "kueue.x-k8s.io/queue-name"),
        ("kai.scheduler/queue-name", "kai.scheduler/queue"),
        ("karpenter.sh/do-not-distrub", "karpenter.sh/do-not-disrupt"),
        ("karpenter.sh/do-not-evict", "karpenter.sh/do-not-disrupt"),
        ("argocd.argoproj.io/hook-delete-polciy", "argocd.argoproj.io/hook-delete-policy"),
    ],
)
def test_a_slip_is_told_from_the_key_that_was_meant(written: str, key: str) -> None:
    found = meant(written)
    assert found is not None
    assert found.key == key


@pytest.mark.parametrize(
    "key",
    [
        "app",
        "example.com/queue-name",
        "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/anything-else",
        "provreq.kueue.x-k8s.io/maxRunDurationSeconds",
        "day.io/cluster",
        "karpenter.k8s.aws/instance-family",
        "argocd-image-updater.argoproj.io/image-list",
    ],
)
def test_other_keys_are_nobodys_slip(key: str) -> None:
    assert meant(key) is None


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_any_key_can_be_asked_for(key: str) -> None:
    found = meant(key)
    assert found is None or (found.key != key and meant(found.key) is None)
    home(key)


def test_a_key_that_is_in_its_place_too_is_quiet() -> None:
    queue = {"kueue.x-k8s.io/queue-name": "research"}
    twice = {"metadata": {"labels": queue}, "spec": {"template": {"metadata": {"labels": queue}}}}
    assert lint(base("job", twice)) == []


def test_pods_of_a_deployment_wait_in_queues_by_themselves() -> None:
    """C-37: Kueue admits them pod by pod, by their own label."""
    queue = {"kueue.x-k8s.io/queue-name": "serving"}
    assert lint(base("deployment", {"spec": {"template": {"metadata": {"labels": queue}}}})) == []
