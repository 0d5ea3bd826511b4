"""GPU885: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVER = """\
---
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: ml}
spec: {selector: {app: chat}, ports: [{port: 80, targetPort: 8000}]}
---
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml, labels: {app: chat}}
spec:
  containers:
    - name: main
      image: vllm/vllm-openai:v0.11.0
      args: [--model, a/b, --served-model-name, b]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
CLIENT = """\
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      env: [{name: NAME, value: "URL"}]
"""
LITELLM = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: ml}
data:
  config.yaml: |
    model_list:
      - model_name: b
        litellm_params: {model: MODEL, api_base: "URL"}
---
apiVersion: v1
kind: Pod
metadata: {name: litellm, namespace: ml}
spec:
  containers:
    - name: main
      image: ghcr.io/berriai/litellm:main-v1.77.5-stable
      args: [--config, /etc/litellm/config.yaml]
      volumeMounts: [{name: config, mountPath: /etc/litellm}]
  volumes: [{name: config, configMap: {name: config}}]
"""
WEBUI = "ghcr.io/open-webui/open-webui:v0.6.34"


def said(text: str) -> list[str]:
    return [
        one.found.message
        for one in raised(text)
        if one.rule.code == "GPU885" or "has no port" in one.found.message
    ]


def client(name: str, url: str, image: str = WEBUI, server: str = SERVER) -> list[str]:
    told = CLIENT.replace("URL", url).replace("IMAGE", image).replace("NAME", name)
    return said(told + server)


def litellm(model: str, url: str) -> list[str]:
    return said(LITELLM.replace("MODEL", model).replace("URL", url) + SERVER)


@pytest.mark.parametrize(
    ("name", "url", "part"),
    [
        ("OPENAI_API_BASE_URL", "http://chat", "`/v1`"),
        ("OPENAI_API_BASE_URLS", "https://api.openai.com/v1;http://chat.ml:80/", "`/v1`"),
        ("OPENAI_BASE_URL", "http://ollama.other.svc:11434", "`/v1`"),
        ("OPENAI_API_BASE_URL", "http://vllm-server.other.svc.cluster.local:8000", "`/v1`"),
        ("OLLAMA_BASE_URL", "http://ollama:11434/v1/", "without `/v1`"),
        ("ANYTHING", "http://chat:8000/v1", "has no port 8000"),
        ("ANYTHING", "https://chat.ml.svc.cluster.local/v1", "has no port 443"),
    ],
)
def test_addresses_in_variables(name: str, url: str, part: str) -> None:
    (message,) = client(name, url)
    assert part in message


@pytest.mark.parametrize(
    ("name", "url", "image"),
    [
        ("OPENAI_API_BASE_URL", "http://chat/v1", WEBUI),
        ("OPENAI_API_BASE_URL", "http://gateway.other.svc:8000", WEBUI),
        ("OPENAI_API_BASE_URL", "https://llm.example.com", WEBUI),
        ("OPENAI_API_BASE_URL", "http://$(HOST):8000", WEBUI),
        ("OLLAMA_BASE_URL", "http://ollama:11434", WEBUI),
        ("OLLAMA_BASE_URL", "http://ollama:11434/v1", "example.com/agent:1"),
        ("UPSTREAM", "http://chat", WEBUI),
        ("UPSTREAM", "http://chat.other:8000/v1", WEBUI),
    ],
)
def test_addresses_that_may_be_right(name: str, url: str, image: str) -> None:
    assert client(name, url, image) == []


def test_servers_with_paths_at_their_root() -> None:
    llama = SERVER.replace("vllm/vllm-openai:v0.11.0", "ghcr.io/ggml-org/llama.cpp:server-cuda")
    assert client("OPENAI_API_BASE_URL", "http://chat", server=llama) == []


def test_services_that_pass_on_every_port() -> None:
    headless = SERVER.replace("spec: {selector", "spec: {clusterIP: None, selector")
    assert client("ANYTHING", "http://chat:8000/v1", server=headless) == []


@pytest.mark.parametrize(
    ("model", "url", "part"),
    [
        ("openai/b", "http://chat", "`/v1`"),
        ("hosted_vllm/b", "http://10-0-0-1.other.pod:8000", ""),
        ("ollama/b", "http://ollama:11434/v1", "without `/v1`"),
        ("hosted_vllm/a/b", "http://chat/v1", "serves `a/b`"),
        ("openai/b", "http://chat:8000/v1", "no port 8000"),
    ],
)
def test_models_of_litellm(model: str, url: str, part: str) -> None:
    messages = litellm(model, url)
    assert (len(messages) == 1 and part in messages[0]) if part else messages == []


def test_what_litellm_may_be_told() -> None:
    assert litellm("hosted_vllm/b", "http://chat/v1") == []
    assert litellm("ollama/b", "http://ollama:11434") == []
    assert litellm("azure/b", "https://x.openai.azure.com") == []


ASKS = """\
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: ml}
spec:
  containers:
    - name: main
      image: mine/chat:1
      env: [{name: OPENAI_API_BASE, value: "URL"}, {name: OPENAI_MODEL, value: "ASKED"}]
"""
GATEWAY = """\
---
apiVersion: v1
kind: Service
metadata: {name: litellm, namespace: ml}
spec: {selector: {app: litellm}, ports: [{port: 4000}]}
"""


@pytest.mark.parametrize(
    ("url", "model", "number"),
    [
        ("http://chat/v1", "a/b", 1),
        ("http://chat/v1", "b", 0),
        ("http://elsewhere/v1", "a/b", 0),
        ("http://litellm:4000/v1", "c", 1),
        ("http://litellm:4000/v1", "b", 0),
    ],
)
def test_the_model_that_a_client_asks_for(url: str, model: str, number: int) -> None:
    proxy = LITELLM.replace("MODEL", "hosted_vllm/b").replace("URL", "http://chat/v1")
    proxy = proxy.replace("{name: litellm,", "{name: litellm, labels: {app: litellm},")
    asks = ASKS.replace("URL", url).replace("ASKED", model)
    found = said(f"{asks}{SERVER}{GATEWAY}---\n{proxy}")
    assert len(found) == number
    assert all(f"serves `{model}`" in message for message in found)
