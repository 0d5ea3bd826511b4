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


FIELD = """\
apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: llm}
spec:
  model: {uri: "hf://org/model", name: model}
  parallelism: {DEGREES}
  template: {containers: [{name: main, MORE resources: {limits: {nvidia.com/gpu: 4}}}]}
  REST
"""


@pytest.mark.parametrize(
    ("degrees", "more", "rest", "ends"),
    [
        ("tensor: 2, pipeline: 2", "", "", ["parallelism.pipeline"]),
        ("tensor: 4, pipeline: 2", "", "", ["parallelism.pipeline"]),
        ("tensor: 1, data: 4, dataLocal: 1", "", "", ["parallelism.data"]),
        ("tensor: 2", "", "", ["parallelism"]),
        ("tensor: 4", "", "", []),
        ("tensor: 4, pipeline: 1", "", "", []),
        ("tensor: 2, pipeline: 2", "args: [--pipeline-parallel-size=2],", "", []),
        ("tensor: 2", "env: [{name: VLLM_ADDITIONAL_ARGS, value: -dp=2}],", "", []),
        ("tensor: 2, pipeline: 2", "", "baseRefs: [{name: with-workers}]", []),
        ("tensor: 4, pipeline: 2", "", "worker: {containers: [{name: main}]}", []),
    ],
)
def test_degrees_that_do_not_reach_the_engine(
    degrees: str, more: str, rest: str, ends: list[str]
) -> None:
    text = FIELD.replace("DEGREES", degrees).replace("MORE", more).replace("REST", rest)
    said = [one.finding() for one in raised(text) if one.rule.code == "GPU747"]
    assert [(one.path, one.severity) for one in said] == [
        (f"spec.{end}", "warning") for end in ends
    ]
