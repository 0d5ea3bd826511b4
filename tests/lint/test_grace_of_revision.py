"""GPU511 where Knative makes the pods: the time of a request is their grace period."""

from typing import Any

import pytest
import yaml

from tests.lint.pages import raised
from tests.lint.sets import base

DRAIN = ["/models/qwen3-8b", "--served-model-name", "chat", "--shutdown-timeout", "240"]


def service(timeout: int | None) -> Any:
    one = base("knative-service")
    spec = one["spec"]["template"]["spec"]
    spec["timeoutSeconds"] = timeout
    spec["containers"][0]["args"] = DRAIN
    return one


def predictor(timeout: int | None) -> Any:
    """An InferenceService of the same pod."""
    pod = base("knative-service")["spec"]["template"]["spec"]
    pod["containers"][0] |= {"name": "kserve-container", "args": DRAIN}
    pod = {key: value for key, value in pod.items() if key != "timeoutSeconds"}
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {
            "name": "chat",
            "namespace": "serving",
            "annotations": {"serving.kserve.io/deploymentMode": "Knative"},
        },
        "spec": {"predictor": {"minReplicas": 1, "timeout": timeout, **pod}},
    }


@pytest.mark.parametrize(("timeout", "found"), [(120, True), (600, False), (None, False)])
@pytest.mark.parametrize(("make", "field"), [(service, "timeoutSeconds"), (predictor, "timeout")])
def test_a_drain_is_held_against_the_time_of_a_request(
    make: Any, field: str, timeout: int | None, found: bool
) -> None:
    drafts = [one for one in raised(yaml.safe_dump(make(timeout))) if one.rule.code == "GPU511"]
    assert len(drafts) == found
    for one in drafts:
        assert "the pod is killed after 120 s" in one.found.message
        assert one.found.path[-1] == field
