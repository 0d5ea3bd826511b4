"""GPU846: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

CODE = "GPU846"
SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: llm, namespace: ml}}
spec:
  predictor:
    containers:
    - name: kserve-container
      image: vllm/vllm-openai:v0.33.0
      resources: {{requests: {{{requests}}}, limits: {{{limits}}}}}
"""


def config(resource: dict[str, str | None]) -> str:
    data = {"inferenceService": json.dumps({"resource": resource})}
    meta = {"name": "inferenceservice-config", "namespace": "kserve"}
    return "---\n" + json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
    )


def said(requests: str, limits: str, more: str = "") -> list[str]:
    found = raised(SERVICE.format(requests=requests, limits=limits) + more)
    return [one.found.message for one in found if one.rule.code == CODE]


@pytest.mark.parametrize(
    ("requests", "limits", "words"),
    [
        ("cpu: 16", "memory: 64Gi", ["16 CPUs are requested without a limit: KServe's webhook sets a limit of 1"]),
        ("cpu: 1, memory: 64Gi", "nvidia.com/gpu: 1", ["64Gi of memory are requested without a limit"]),
        ("cpu: 16, memory: 64Gi", "cpu: 16, memory: 64Gi", []),
        ("cpu: 500m, memory: 1Gi", "nvidia.com/gpu: 1", []),
        # As a server takes it, whatever it asks for.
        ("", "nvidia.com/gpu: 1", []),
    ],
)  # fmt: skip
def test_a_request_above_what_is_filled_in(requests: str, limits: str, words: list[str]) -> None:
    found = said(requests, limits)
    assert len(found) == len(words)
    assert all(message.startswith(word) for message, word in zip(found, words, strict=True))


def test_the_configuration_beside_it_decides() -> None:
    assert said("cpu: 16", "memory: 1Gi", config({"cpuLimit": "", "memoryLimit": None})) == []
    assert said("cpu: 16", "memory: 1Gi", config({"cpuLimit": "32"})) == []
    (message,) = said("cpu: 16", "memory: 1Gi", config({"cpuLimit": "4"}))
    assert "sets a limit of 4" in message


SEVERAL = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llm, namespace: ml}
spec:
  predictor:
    containers: [{name: helper, image: busybox, resources: {requests: {cpu: 2}}}]
    triton:
      storageUri: pvc://weights/llm
      resources: {requests: {cpu: 16}, limits: {memory: 64Gi, nvidia.com/gpu: 1}}
    workerSpec:
      containers: [{name: worker-container, image: a, resources: {requests: {cpu: 8}}}]
  canary:
  - predictor:
      name: next
      containers: [{name: kserve-container, image: a, resources: {requests: {cpu: 4}}}]
"""


def test_what_the_webhook_leaves_alone_is_not_spoken_of() -> None:
    """It completes the model alone: nothing beside it, no worker and no canary."""
    found = [one.found for one in raised(SEVERAL) if one.rule.code == CODE]
    assert [one.message.split(" without ")[0] for one in found] == ["16 CPUs are requested"]
    assert found[0].path[:3] == ("spec", "predictor", "triton")
