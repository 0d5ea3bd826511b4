"""GPU879 and GPU897: a server that downloads its model, and the way to the hub."""

import pytest

from tests.lint.pages import raised

SERVER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ai}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:v0.33.0
          args: [--model, MODEL]
          env: [ENV]
          resources: {limits: {nvidia.com/gpu: 1}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ai}
spec:
  podSelector: {matchLabels: {app: chat}}
  policyTypes: [Egress]
  egress: [EGRESS]
"""
DNS = (
    "{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}"
)
WEB = "{to: [{ipBlock: {cidr: 0.0.0.0/0}}], ports: [{port: 443}]}"
PRIVATE = WEB.replace("0.0.0.0/0", "10.0.0.0/8")


def said(egress: str, model: str = "Qwen/Qwen3-8B", env: str = "") -> list[str]:
    manifest = SERVER.replace("EGRESS", egress).replace("MODEL", model).replace("ENV", env)
    findings = [one.finding() for one in raised(manifest)]
    return sorted(finding.rule for finding in findings if finding.rule in ("GPU879", "GPU897"))


@pytest.mark.parametrize(
    ("egress", "rules"),
    [
        (DNS, ["GPU879"]),
        (f"{DNS}, {PRIVATE}", ["GPU879"]),
        (WEB, ["GPU897"]),
        (f"{DNS}, {WEB}", []),
        ("{}", []),
        (f"{DNS}, {{ports: [{{port: 443}}]}}", []),
    ],
)
def test_the_way_to_the_hub(egress: str, rules: list[str]) -> None:
    assert said(egress) == rules


def test_what_needs_no_hub() -> None:
    assert not said(DNS, model="/models/qwen")
    assert not said(DNS, env="{name: HF_HUB_OFFLINE, value: '1'}")
    assert not said(DNS, env="{name: HTTPS_PROXY, value: 'http://proxy.web:3128'}")


@pytest.mark.parametrize(
    ("script", "blocked"),
    [
        ("ollama serve & ollama pull qwen3:8b", True),
        ("hf download Qwen/Qwen3-8B --local-dir /m", True),
        ("pip install -q vllm && python serve.py", True),
        ("pip install --no-index -f /wheels vllm", False),
        ("pip install /wheels/vllm.whl", False),
        ("git clone --depth 1 https://github.com/acme/train /src", True),
        ("curl -fL https://huggingface.co/acme/m/resolve/main/m.gguf -o /m.gguf", True),
        ("curl -s http://chat.ai:8000/health", False),
        ("curl -s http://chat.ai.svc.cluster.local/health", False),
        ("python serve.py", False),
    ],
)
def test_what_commands_download(script: str, blocked: bool) -> None:
    manifest = SERVER.replace("vllm/vllm-openai:v0.33.0", "example.com/own:1")
    manifest = manifest.replace("[--model, MODEL]", f'["{script}"]').replace("ENV", "")
    found = {one.rule.code for one in raised(manifest.replace("EGRESS", DNS))}
    assert ("GPU879" in found) is blocked


def test_a_client_of_another_ollama_downloads_nothing() -> None:
    manifest = SERVER.replace("[--model, MODEL]", '["ollama pull qwen3:8b"]').replace("EGRESS", DNS)
    manifest = manifest.replace("vllm/vllm-openai:v0.33.0", "ollama/ollama:0.11.0")
    for host, blocked in (("ollama:11434", False), ("0.0.0.0:11434", True)):
        text = manifest.replace("ENV", f'{{name: OLLAMA_HOST, value: "{host}"}}')
        assert ("GPU879" in {one.rule.code for one in raised(text)}) is blocked
