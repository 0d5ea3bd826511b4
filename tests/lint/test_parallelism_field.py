"""GPU747: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: llm}
spec:
  model: {uri: "hf://org/model", name: model}
  parallelism: {tensor: 2}
  template: {containers: [{name: main, resources: {limits: {LIMITS}}}]}
  MORE
"""


@pytest.mark.parametrize(
    ("limits", "more", "found"),
    [
        ("nvidia.com/gpu: 1", "replicas: 1", True),
        ("nvidia.com/gpu: 2", "replicas: 1", False),
        ("memory: 1Gi", "replicas: 1", False),
        ("nvidia.com/gpu: 1", "worker: {containers: [{name: main}]}", False),
    ],
)
def test_pods_with_too_few_gpus(limits: str, more: str, found: bool) -> None:
    said = raised(SERVICE.replace("LIMITS", limits).replace("MORE", more))
    assert ("GPU747" in [one.rule.code for one in said]) is found
