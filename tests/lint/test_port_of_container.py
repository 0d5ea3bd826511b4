"""GPU506: a port to which requests are sent, and a server with its default port."""

from tests.lint.pages import raised

RUNTIME = """apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: vllm, namespace: ai}
spec:
  supportedModelFormats: [{name: vLLM}]
  containers:
    - name: kserve-container
      image: vllm/vllm-openai:v0.11.0
      args: [--model=/mnt/models, MORE]
      ports: [{containerPort: 8080}]
      resources: {limits: {nvidia.com/gpu: 1}}
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ai}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:v0.11.0
          args: [--model=/models]
          ports: [{name: http, containerPort: 8080}]
          resources: {limits: {nvidia.com/gpu: 1}}
"""
SERVICE = """---
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: ai}
spec: {selector: {app: chat}, ports: [{port: 80, targetPort: http}]}
"""


def said(manifest: str) -> list[str]:
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU506"]


def test_kserve_sends_to_the_listed_port() -> None:
    assert "KServe sends requests" in said(RUNTIME.replace("MORE", "--seed=1"))[0]
    assert not said(RUNTIME.replace("MORE", "--port=8080"))


def test_a_service_sends_to_the_listed_port() -> None:
    assert "Service `chat` sends requests" in said(DEPLOYMENT + SERVICE)[0]
    assert not said(DEPLOYMENT)
    assert not said(DEPLOYMENT + SERVICE.replace("targetPort: http", "targetPort: 8000"))
    assert not said(DEPLOYMENT.replace("8080", "8000") + SERVICE)
