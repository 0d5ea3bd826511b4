"""GPU976: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

RUNTIME = """\
apiVersion: serving.kserve.io/v1alpha1
kind: KIND
metadata: {name: vllm, namespace: serving}
spec:
  disabled: false
  supportedModelFormats:
    - {name: vLLM, version: "1", autoSelect: true}
  protocolVersions: [v2]
  containers:
    - {name: kserve-container, image: "vllm/vllm-openai:v0.10.1"}
---
"""
SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, namespace: serving}
spec:
  predictor:
    model:
      runtime: vllm
      modelFormat: {name: vLLM, version: "1"}
      protocolVersion: v2
      storageUri: pvc://models/llama
"""
TEXT = RUNTIME.replace("KIND", "ServingRuntime") + SERVICE


def _messages(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU976"]


def test_a_runtime_that_serves_the_model() -> None:
    assert not _messages(TEXT)
    assert not _messages(SERVICE)
    assert not _messages(TEXT.replace(', version: "1"}\n      protocolVersion: v2', "}"))
    assert not _messages(RUNTIME.replace("KIND", "ClusterServingRuntime") + SERVICE)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("disabled: false", "disabled: true", "is disabled"),
        ("modelFormat: {name: vLLM", "modelFormat: {name: vllm", "not format `vllm`"),
        ('version: "1"}\n      proto', 'version: "2"}\n      proto', "version `2`"),
        ("protocolVersion: v2", "protocolVersion: v1", "protocol `v1`"),
        ("kserve-container", "server", "no container `kserve-container`"),
    ],
)
def test_each_comparison(before: str, after: str, message: str) -> None:
    (said,) = _messages(TEXT.replace(before, after))
    assert message in said


def test_a_namespace_of_its_own_and_templates() -> None:
    wrong = TEXT.replace("modelFormat: {name: vLLM", "modelFormat: {name: vllm")
    assert not _messages(wrong.replace("namespace: serving", "namespace: other", 1))
    assert not _messages(TEXT.replace("modelFormat: {name: vLLM", 'modelFormat: {name: "${F}"'))


def test_modelmesh_is_left_alone() -> None:
    wrong = TEXT.replace("kserve-container", "server")
    assert not _messages(wrong.replace("disabled: false", "multiModel: true"))
    mode = "namespace: serving, annotations: {serving.kserve.io/deploymentMode: ModelMesh}}"
    assert not _messages(
        wrong.replace("namespace: serving}\nspec:\n  pred", f"{mode}\nspec:\n  pred")
    )


def test_nobody_selects_a_runtime() -> None:
    unnamed = TEXT.replace("      runtime: vllm\n", "")
    assert not _messages(unnamed)
    (said,) = _messages(unnamed.replace("autoSelect: true", "autoSelect: false"))
    assert "unless `runtime` names it" in said
