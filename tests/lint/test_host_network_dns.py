"""GPU762: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SET = """apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: pair, namespace: ml}}
spec:
  serviceName: pair
  replicas: 2
  selector: {{matchLabels: {{app: pair}}}}
  template:
    metadata: {{labels: {{app: pair}}}}
    spec:
      {network}
      containers:
        - name: rank
          image: a/b:1
          command: [{command}]
          resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
"""
PYTORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  pytorchReplicaSpecs:
    {role}: &pods
      replicas: 1
      template:
        spec:
          hostNetwork: true
          containers:
            - name: pytorch
              image: a/b:1
              resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
    Worker: *pods
"""


def said(text: str) -> list[str]:
    return [one.finding().path for one in raised(text) if one.rule.code == "GPU762"]


def pair(command: str, network: str = "hostNetwork: true") -> bool:
    return bool(said(SET.format(command=command, network=network)))


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("torchrun, --nnodes=2, --node-rank=$(N), --master-addr=pair-0.pair, t.py", True),
        ("curl, http://models.ml.svc.cluster.local:8000", True),
        ("curl, https://models.example.org", False),
        ("torchrun, --nnodes=2, --node-rank=$(N), --master-addr=10.0.0.7, t.py", False),
        ("python, /app/a.svc.py", False),
    ],
)
def test_what_a_pod_of_the_nodes_network_calls(command: str, found: bool) -> None:
    assert pair(command) is found


@pytest.mark.parametrize(
    "more",
    [
        "dnsPolicy: ClusterFirstWithHostNet",
        "dnsPolicy: Default",
        "dnsConfig: {nameservers: [10.0.0.10]}",
    ],
)
def test_who_is_told_whom_to_ask(more: str) -> None:
    assert not pair("curl, http://models.ml.svc:8000", f"hostNetwork: true\n      {more}")
    assert not pair("curl, http://models.ml.svc:8000", "hostNetwork: false")


def test_the_master_is_a_name() -> None:
    role = "spec.pytorchReplicaSpecs.{}.template.spec.dnsPolicy".format
    assert said(PYTORCH.format(role="Master")) == [role("Master"), role("Worker")]
