"""GPU886: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

CLIENT = """apiVersion: v1
kind: Pod
metadata: {name: webui, namespace: ai}
spec:
  containers:
    - name: webui
      image: IMAGE
      env: [{name: NAME, value: "ADDRESS"}]
"""
LITELLM = """apiVersion: v1
kind: ConfigMap
metadata: {name: litellm, namespace: ai}
data:
  config.yaml: |
    model_list:
      - model_name: chat
        litellm_params: {model: MODEL, api_base: "ADDRESS"}
"""
WEBUI = "ghcr.io/open-webui/open-webui:v0.6.30"


def said(manifest: str) -> list[str]:
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU886"]


@pytest.mark.parametrize(
    ("image", "name", "address", "word"),
    [
        (WEBUI, "OPENAI_API_BASE_URL", "http://chat:8000", "lacks the path"),
        (WEBUI, "OPENAI_API_BASE_URLS", "http://a.ai.svc/v1;http://b.ai.svc", "lacks the path"),
        (WEBUI, "OLLAMA_BASE_URL", "http://ollama.ai.svc:11434/api", "adds `/api` itself"),
        (WEBUI, "OLLAMA_BASE_URL", "http://ollama.ai.svc:11434", None),
        (WEBUI, "OPENAI_API_BASE_URL", "http://chat:8000/v1", None),
        (WEBUI, "OPENAI_API_BASE_URL", "https://llm.example.com", None),
        (WEBUI, "OPENAI_API_BASE_URL", "http://gateway/team/openai", None),
        ("other/app:1", "OLLAMA_BASE_URL", "http://ollama:11434/api", None),
        ("other/app:1", "OPENAI_BASE_URL", "http://chat.ai.svc.cluster.local", "lacks the path"),
    ],
)
def test_variables(image: str, name: str, address: str, word: str | None) -> None:
    manifest = CLIENT.replace("IMAGE", image).replace("NAME", name)
    found = said(manifest.replace("ADDRESS", address))
    assert (word in found[0]) if word else not found


@pytest.mark.parametrize(
    ("model", "address", "word"),
    [
        ("openai/chat", "http://chat:8000", "lacks the path"),
        ("hosted_vllm/chat", "http://chat.ai.svc:8000", "lacks the path"),
        ("ollama/llama3", "http://ollama:11434/v1", "ends with `/v1`"),
        ("openai/chat", "http://chat:8000/v1", None),
        ("ollama/llama3", "http://ollama:11434", None),
        ("azure/chat", "http://proxy", None),
    ],
)
def test_models_of_litellm(model: str, address: str, word: str | None) -> None:
    found = said(LITELLM.replace("MODEL", model).replace("ADDRESS", address))
    assert (word in found[0]) if word else not found


def test_another_file_is_left_alone() -> None:
    assert not said(LITELLM.replace("model_list:", "model_list: [").replace("ADDRESS", "http://a"))
