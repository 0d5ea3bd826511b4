"""GPU511 on nodes that are gone soon after their notice."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat}
spec:
  terminationGracePeriodSeconds: 120
  nodeSelector: {LABEL}
  containers:
    - name: main
      image: vllm/vllm-openai:v0.11.0
      lifecycle: {preStop: {sleep: {seconds: SECONDS}}}
      resources: {limits: {nvidia.com/gpu: 1}}
"""
SPOT = 'cloud.google.com/gke-spot: "true"'


@pytest.mark.parametrize(
    ("label", "seconds", "found"),
    [
        (SPOT, 60, True),
        (SPOT, 10, False),
        ("a: b", 60, False),
    ],
)
def test_a_notice_that_is_shorter_than_what_comes_first(
    label: str, seconds: int, found: bool
) -> None:
    made = POD.replace("LABEL", label).replace("SECONDS", str(seconds))
    said = [one.found.message for one in raised(made) if one.rule.code == "GPU511"]
    assert len(said) == found
    assert all("a spot node is gone" in each for each in said)
