"""GPU877: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

CLIENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: webui, namespace: ai}
spec:
  selector: {matchLabels: {app: webui}}
  template:
    metadata: {labels: {app: webui}}
    spec:
      containers:
        - name: webui
          image: ghcr.io/open-webui/open-webui:v0.6.30
          env: [{name: OPENAI_API_BASE_URL, value: "ADDRESS"}]
---
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: ai}
spec: {selector: {app: chat}, ports: [{name: http, port: 80, targetPort: 8000}]}
"""


def said(address: str, service: str = "") -> list[str]:
    manifest = CLIENT.replace("ADDRESS", address)
    if service:
        manifest = manifest.partition("spec: {selector: {app: chat}")[0] + f"spec: {service}\n"
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU877"]


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("http://chat:8000/v1", "has no port 8000 (that of its pods)"),
        ("http://chat.ai.svc.cluster.local:8080/v1", "has no port 8080, only `80`"),
        ("https://chat.ai", "has no port 443"),
        ("http://chat.ai:80/v1", None),
        ("http://chat/v1", None),
        ("http://other:8000/v1", None),
        ("http://chat.example.com:8000/v1", None),
        ("chat", None),
    ],
)
def test_ports_of_a_service(address: str, word: str | None) -> None:
    found = said(address)
    assert (word in found[0]) if word else not found


def test_a_headless_service_leads_to_its_pods() -> None:
    headless = "{clusterIP: None, selector: {app: chat}, ports: [{port: 80, targetPort: TARGET}]}"
    number = headless.replace("TARGET", "8000")
    assert "is headless" in said("http://chat.ai:80/v1", number)[0]
    assert not said("http://chat.ai:8000/v1", number)
    assert not said("http://chat.ai:80/v1", headless.replace("TARGET", "http"))


def test_a_service_that_others_answer_for() -> None:
    assert not said(
        "http://chat:8000", "{type: ExternalName, externalName: c, ports: [{port: 80}]}"
    )
    assert not said("http://chat:8000", "{ports: [{port: 80}]}")
