"""GPU771: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  containers:
    - name: main
      image: vllm/vllm-openai:v0.19.1
      args: [--model, MODEL]
      env: [{name: HF_HOME, value: FOLDER}]
      resources: {requests: {ASKED}, limits: {nvidia.com/gpu: 1}}
      volumeMounts: [{name: cache, mountPath: /data}]
  volumes: [{name: cache, VOLUME}]
"""
LIMITS = """\
---
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: ml}
spec: {limits: [{type: Container, defaultRequest: {ephemeral-storage: 50Gi}}]}
"""


def said(
    model: str = "meta-llama/Llama-3.1-8B",
    folder: str = "/data/hf",
    asked: str = "",
    volume: str = "emptyDir: {}",
    beside: str = "",
) -> list[str]:
    made = POD.replace("MODEL", model).replace("FOLDER", folder).replace("ASKED", asked)
    made = made.replace("VOLUME", volume) + beside
    return [one.found.message for one in raised(made) if one.rule.code == "GPU771"]


def test_the_size_follows_from_the_name() -> None:
    (message,) = said()
    assert message.startswith("16.1 GB of weights are downloaded to this `emptyDir`")


@pytest.mark.parametrize(
    "given",
    [
        {"model": "Qwen/Qwen3-0.6B"},
        {"model": "org/model-of-unknown-size"},
        {"model": "/data/llama-8B"},
        {"folder": "/root/.cache"},
        {"asked": "ephemeral-storage: 40Gi"},
        {"volume": "emptyDir: {sizeLimit: 40Gi}"},
        {"volume": "emptyDir: {medium: Memory}"},
        {"volume": "persistentVolumeClaim: {claimName: weights}"},
        {"beside": LIMITS},
    ],
)
def test_what_is_small_bounded_or_asked_for_is_quiet(given: dict[str, str]) -> None:
    assert said(**given) == []
