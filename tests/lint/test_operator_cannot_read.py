"""GPU884: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat, namespace: ml}
spec: {predictor: {model: {modelFormat: {name: huggingface}, storageUri: "TEXT"}}}
"""
LLM = """\
apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: chat, namespace: ml}
spec: {model: {uri: "TEXT", name: chat}}
"""
KUBEAI = """\
apiVersion: kubeai.org/v1
kind: Model
metadata: {name: chat, namespace: ml}
spec: {features: [TextGeneration], engine: VLLM, url: "hf://org/model", resourceProfile: "TEXT"}
"""


def said(manifest: str, text: str) -> list[str]:
    found = raised(manifest.replace("TEXT", text))
    return [one.found.message for one in found if one.rule.code == "GPU884"]


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (SERVICE, "org/model"),
        (SERVICE, "pvc:/claim/model"),
        (SERVICE, "huggingface://org/model"),
        (SERVICE, "hf://model"),
        (SERVICE, "hf://org/model/file"),
        (SERVICE, "pvc:///claim/model"),
        (LLM, "org/model"),
        (LLM, "gs://bucket/model"),
        (KUBEAI, "nvidia-gpu-l4"),
    ],
)
def test_texts_that_the_operator_cannot_read(manifest: str, text: str) -> None:
    [message] = said(manifest, text)
    assert message.startswith(f"`{text}` ")


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (SERVICE, "hf://org/model"),
        (SERVICE, "hf://org/model:main"),
        (SERVICE, "pvc://claim/model"),
        (SERVICE, "custom://anything"),
        (SERVICE, "/mnt/models"),
        (SERVICE, "$MODEL"),
        (LLM, "hf://org/model"),
        (LLM, "s3://bucket/model"),
        (KUBEAI, "nvidia-gpu-l4:1"),
        (KUBEAI, ""),
    ],
)
def test_silent_for_texts_that_it_reads(manifest: str, text: str) -> None:
    assert said(manifest, text) == []


def test_a_container_of_the_set_may_read_more() -> None:
    container = """\
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterStorageContainer
metadata: {name: hub}
spec:
  container: {name: storage-initializer, image: "example:1"}
  supportedUriFormats: [{prefix: "huggingface://"}]
---
"""
    assert not said(container + SERVICE, "huggingface://org/model")
