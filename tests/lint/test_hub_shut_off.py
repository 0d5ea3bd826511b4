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
