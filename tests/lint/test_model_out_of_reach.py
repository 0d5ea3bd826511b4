"""GPU882: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  volumes: [VOLUMES]
  containers:
    - name: main
      image: vllm/vllm-openai:v0.11.0
      args: [--model, MODEL]
      env: [ENV]
      volumeMounts: [MOUNTS]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
HUB = "{name: hub, mountPath: /root/.cache/huggingface}"
OFFLINE = '{name: HF_HUB_OFFLINE, value: "1"}'


def said(
    model: str, env: str = "", mounts: str = "", volumes: str = "", pod: str = POD
) -> list[str]:
    text = pod.replace("MODEL", model).replace("ENV", env)
    found = raised(text.replace("MOUNTS", mounts).replace("VOLUMES", volumes))
    return [one.found.message for one in found if one.rule.code == "GPU882"]


@pytest.mark.parametrize(
    "model",
    [LLAMA, "meta-llama/Llama-Guard-3-8B", "google/gemma-3-27b-it", "google/codegemma-7b"],
)
def test_a_gated_model_needs_a_token(model: str) -> None:
    [message] = said(model)
    assert message.startswith(f"`{model}` is gated, but no `HF_TOKEN` is set")


def test_an_empty_folder_of_the_pod_holds_no_model() -> None:
    assert said(LLAMA, mounts=HUB, volumes="{name: hub, emptyDir: {}}")


def test_offline_nothing_is_downloaded() -> None:
    [message] = said("Qwen/Qwen3-8B", env=OFFLINE)
    assert message.startswith("`HF_HUB_OFFLINE` turns downloads off")


@pytest.mark.parametrize(
    ("model", "env"),
    [
        ("Qwen/Qwen3-8B", ""),
        ("google/gemma-4-31b-it", ""),
        (LLAMA, "{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}"),
        (LLAMA, "{name: HUGGING_FACE_HUB_TOKEN, valueFrom: {secretKeyRef: {name: h, key: t}}}"),
        (LLAMA, "{name: HF_ENDPOINT, value: 'http://mirror.example.com'}"),
        ("/models/llama", OFFLINE),
        ("Qwen/Qwen3-8B", '{name: HF_HUB_OFFLINE, value: "0"}'),
    ],
)
def test_silent_where_it_can_be_had(model: str, env: str) -> None:
    assert said(model, env) == []


@pytest.mark.parametrize(
    "volumes",
    [
        "{name: hub, persistentVolumeClaim: {claimName: hub}}",
        "{name: hub, hostPath: {path: /data/hub}}",
    ],
)
@pytest.mark.parametrize("env", ["", OFFLINE])
def test_silent_where_a_volume_may_hold_it(volumes: str, env: str) -> None:
    assert said(LLAMA, env, HUB, volumes) == []


def test_silent_where_another_container_may_fill_the_folder() -> None:
    init = "  initContainers: [{name: fetch, image: fetch:v1}]\n  containers:"
    pod = POD.replace("  containers:", init)
    assert said(LLAMA, OFFLINE, HUB, "{name: hub, emptyDir: {}}", pod) == []


def test_silent_for_an_image_that_may_hold_it() -> None:
    assert (
        said(LLAMA, OFFLINE, pod=POD.replace("vllm/vllm-openai:v0.11.0", "r.example/vllm:v1")) == []
    )


KSERVE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, namespace: ml}
spec:
  predictor:
    ACCOUNT
    model:
      modelFormat: {name: huggingface}
      storageUri: hf://MODEL
      env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: HF_TOKEN}}}]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
CONTAINER = """\
---
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterStorageContainer
metadata: {name: hub}
spec:
  container: {name: storage-initializer, image: kserve/storage-initializer:v0.15.2, env: [ENV]}
  supportedUriFormats: [{prefix: "hf://"}]
"""


def of_kserve(more: str = "", model: str = LLAMA, account: str = "") -> list[str]:
    text = KSERVE.replace("\n    ACCOUNT", f"\n    {account}" if account else "") + more
    findings = [one.finding() for one in raised(text.replace("MODEL", model))]
    return [finding.severity for finding in findings if finding.rule == "GPU882"]


def test_a_token_that_the_storage_initializer_does_not_get() -> None:
    assert of_kserve(CONTAINER.replace("ENV", "")) == ["warning"]
    assert of_kserve() == ["info"]
    assert not of_kserve(CONTAINER.replace("ENV", "{name: HF_TOKEN, value: x}"))
    assert not of_kserve(model="Qwen/Qwen3-8B")
    assert not of_kserve(account="serviceAccountName: with-token")
