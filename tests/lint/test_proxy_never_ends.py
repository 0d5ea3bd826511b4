"""GPU767: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  template:
    metadata: {{labels: {{{labels}}}, annotations: {{{annotations}}}}}
    spec:
      containers:
        - name: main
          image: a/b:1
          command: [bash, -c, '{script}']
          resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: ml, {namespace}}}
"""


def said(
    labels: str = "", annotations: str = "", namespace: str = "", script: str = "train"
) -> bool:
    text = JOB.format(labels=labels, annotations=annotations, namespace=namespace, script=script)
    return "GPU767" in [one.rule.code for one in raised(text)]


@pytest.mark.parametrize(
    "namespace",
    [
        "labels: {istio-injection: enabled}",
        "labels: {istio.io/rev: asm-1-24}",
        "annotations: {linkerd.io/inject: enabled}",
    ],
)
def test_a_namespace_asks_for_a_proxy(namespace: str) -> None:
    assert said(namespace=namespace)
    assert not said(namespace=namespace, script="train; curl -X POST localhost:15020/quitquitquit")


def test_a_pod_asks_for_a_proxy_or_keeps_it_away() -> None:
    injected = "labels: {istio-injection: enabled}"
    assert said(labels='sidecar.istio.io/inject: "true"')
    assert said(annotations='sidecar.istio.io/inject: "true"')
    assert not said(annotations='sidecar.istio.io/inject: "false"', namespace=injected)
    assert not said(annotations='sidecar.istio.io/nativeSidecar: "true"', namespace=injected)
    assert not said(namespace="labels: {istio-injection: disabled}")
    assert not said()
    assert said(annotations='sidecar.istio.io/nativeSidecar: "false"', namespace=injected)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (
            'vault.hashicorp.com/agent-inject: "true"',
            'vault.hashicorp.com/agent-pre-populate-only: "true"',
        ),
        ('dapr.io/enabled: "true"', ""),
        ('consul.hashicorp.com/connect-inject: "true"', ""),
    ],
)
def test_agents_that_annotations_inject(asked: str, answered: str) -> None:
    assert said(annotations=asked)
    assert not said(annotations=asked.replace("true", "false"))
    if answered:
        assert not said(annotations=f"{asked}, {answered}")


def test_a_program_ends_the_sidecar() -> None:
    assert not said(
        annotations='dapr.io/enabled: "true"',
        script="train; curl -X POST localhost:3500/v1.0/shutdown",
    )
