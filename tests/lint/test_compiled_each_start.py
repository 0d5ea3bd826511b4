"""GPU778: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ml}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      securityContext: USER
      containers:
        - name: main
          image: IMAGE
          args: ARGS
          env: ENV
          volumeMounts: [{name: held, mountPath: /held}]
          resources: {limits: {nvidia.com/gpu: 1}}
      volumes: [{name: held, VOLUME}]
"""
VLLM = "vllm/vllm-openai:v0.19.1"
CLAIM = "persistentVolumeClaim: {claimName: held}"


def said(
    *args: str, image: str = VLLM, volume: str = CLAIM, user: str = "{}", **env: str
) -> list[str]:
    entries = [{"name": name, "value": value} for name, value in env.items()]
    text = POD.replace("IMAGE", image).replace("VOLUME", volume).replace("USER", user)
    text = text.replace("ARGS", json.dumps(["/held/m", *args])).replace("ENV", json.dumps(entries))
    return [one.found.message for one in raised(text) if one.rule.code == "GPU778"]


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({}, "/root/.cache/vllm"),
        ({"HOME": "/opt/home"}, "/opt/home/.cache/vllm"),
        ({"HOME": "/held", "XDG_CACHE_HOME": "/opt/cache/"}, "/opt/cache/vllm"),
        ({"HOME": "/held", "VLLM_CACHE_ROOT": "/opt/vllm"}, "/opt/vllm"),
    ],
)
def test_where_it_keeps_what_it_compiles(env: dict[str, str], folder: str) -> None:
    (message,) = said(**env)
    assert f"`{folder}`" in message


@pytest.mark.parametrize(
    "env",
    [
        {"HOME": "/held"},
        {"XDG_CACHE_HOME": "/held/cache"},
        {"VLLM_CACHE_ROOT": "/held/vllm"},
        {"VLLM_CACHE_ROOT": "$(ROOT)"},
        {"VLLM_DISABLE_COMPILE_CACHE": "1"},
    ],
)
def test_a_variable_that_keeps_it_or_is_not_known(env: dict[str, str]) -> None:
    assert said(**env) == []


@pytest.mark.parametrize(
    "args",
    [["--enforce-eager"], ["-O0"], ["-O", "0"], ["--compilation-config", '{"level": 0}']],
)
def test_an_option_that_says_how_it_compiles(args: list[str]) -> None:
    assert said(*args) == []


def test_other_images_volumes_and_users() -> None:
    assert said(image="vllm/vllm-openai:v0.7.3") == []
    assert said(image="vllm/vllm-openai:latest") == []
    assert said(image="lmsysorg/sglang:v0.5.3") == []
    assert said(volume="emptyDir: {}") == []
    assert said(volume="hostPath: {path: /data}") == []
    assert said(user="{runAsUser: 1000}") == []
    assert said(user="{runAsUser: 1000}", HOME="/opt/home")
