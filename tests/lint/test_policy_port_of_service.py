"""GPU948: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SET = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ai}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: main
          image: vllm/vllm-openai:v0.11.0
          ports: [{name: http, containerPort: 8000}]
---
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: ai}
spec: {selector: {app: chat}, ports: [{port: 80, targetPort: TARGET}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: some, namespace: NAMESPACE}
spec: {podSelector: {matchLabels: {app: SELECTED}}, RULES}
"""
PEER = "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ai}}, podSelector: {matchLabels: {app: chat}}"


def said(
    rules: str, selected: str = "chat", namespace: str = "ai", target: str = "8000"
) -> list[str]:
    manifest = SET.replace("NAMESPACE", namespace).replace("SELECTED", selected)
    manifest = manifest.replace("RULES", rules).replace("TARGET", target)
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU948"]


@pytest.mark.parametrize("target", ["8000", "http"])
def test_the_ports_of_either_side(target: str) -> None:
    assert said("ingress: [{ports: [{port: 80}]}]", target=target)
    assert said(f"egress: [{{to: [{{{PEER}}}], ports: [{{port: 80}}]}}]", "web", "web", target)


@pytest.mark.parametrize(
    "rules",
    [
        "ingress: [{ports: [{port: 8000}]}]",
        "ingress: [{ports: [{port: 80}, {port: 8000}]}]",
        "ingress: [{ports: [{port: 80}]}, {from: [{podSelector: {}}]}]",
        "ingress: [{ports: [{port: 80, endPort: 90}]}]",
        "ingress: [{ports: [{port: http}]}]",
        # Nothing has this port.
        "ingress: [{ports: [{port: 9090}]}]",
        "ingress: [{ports: 80}]",
    ],
)
def test_what_lets_the_traffic_pass_or_is_something_else(rules: str) -> None:
    assert not said(rules)


def test_a_peer_that_is_not_known() -> None:
    other = PEER.replace("kubernetes.io/metadata.name: ai", "team: ai")
    assert not said(f"egress: [{{to: [{{{other}}}], ports: [{{port: 80}}]}}]", "web", "web")
    assert not said("egress: [{to: [{podSelector: {}}], ports: [{port: 80}]}]", "web")
