"""GPU797: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      args: [ARGS]
      env: [ENV]
      ports: [{name: http, containerPort: 8000}]
      readinessProbe: {httpGet: {path: /health, port: PORT, scheme: SCHEME}}
      resources: {limits: {nvidia.com/gpu: 1}}
"""
VLLM = "vllm/vllm-openai:v0.33.0"
LLAMA = "ghcr.io/ggml-org/llama.cpp:server-cuda-b9592"
KEY = "/m, --ssl-keyfile, /k"


def said(
    scheme: str, image: str = VLLM, args: str = "/m", port: str = "http", env: str = ""
) -> list[str]:
    text = POD.replace("IMAGE", image).replace("ARGS", args).replace("SCHEME", scheme)
    text = text.replace("PORT", port).replace("ENV", env)
    found = [one.finding() for one in raised(text) if one.rule.code == "GPU797"]
    return [one.severity for one in found]


@pytest.mark.parametrize("scheme", ["HTTP", "null"])
def test_http_to_a_server_with_a_certificate_is_an_error(scheme: str) -> None:
    assert said(scheme, args=KEY) == ["error"]
    assert said(scheme, args="/m, --ssl-keyfile=/k") == ["error"]


def test_https_to_a_server_without_one_is_a_warning() -> None:
    assert said("HTTPS") == ["warning"]


def test_a_variable_tells_a_certificate_too() -> None:
    env = "{name: LLAMA_ARG_SSL_KEY_FILE, value: /k}"
    assert said("HTTP", LLAMA, "-m, /m, --port, '8000'", env=env) == ["error"]


def test_what_agrees_or_asks_another_port_is_right() -> None:
    assert said("HTTP") == []
    assert said("HTTPS", args=KEY) == []
    assert said("HTTP", args=KEY, port="9000") == []
    assert said("HTTPS", image="example.com/server:1") == []
