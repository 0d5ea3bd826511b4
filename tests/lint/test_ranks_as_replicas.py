"""GPU754 and GPU755, and what is said to ranks that are replicas, and what is not."""

import pytest

from tests.lint.pages import raised

RUN = """apiVersion: apps/v1
kind: {kind}
metadata: {{name: train, namespace: ml}}
spec:
  serviceName: train
  replicas: {replicas}
  selector: {{matchLabels: {{app: train}}}}
  template:
    metadata: {{labels: {{app: train}}}}
    spec:
      tolerations: [{{key: nvidia.com/gpu, operator: Exists}}]
      containers:
        - name: rank
          image: {image}
          command: [{command}]
          ports: [{{containerPort: 29500}}]
          resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: train, namespace: ml}}
spec: {{clusterIP: {ip}, selector: {{app: train}}, ports: [{{name: rendezvous, port: 29500}}]}}
"""
TORCHRUN = "torchrun, --nnodes=4, --nproc-per-node=8, --rdzv-endpoint=train:29500, train.py"
SGLANG = (
    "python3, -m, sglang.launch_server, --model, m, --nnodes, '2', --tp, '16', --node-rank, '0'"
)


def codes(
    kind: str, command: str = TORCHRUN, replicas: int = 4, ip: str = "None", image: str = "a/b:1"
) -> set[str]:
    text = RUN.format(kind=kind, command=command, replicas=replicas, ip=ip, image=image)
    if kind == "Deployment":
        text = text.replace("  serviceName: train\n", "")
    return {one.rule.code for one in raised(text)}


def test_a_deployment_of_ranks_is_named_as_such_and_given_no_advice_for_servers() -> None:
    said = codes("Deployment", ip="10.0.0.7")
    assert {"GPU754", "GPU755", "GPU701", "GPU722"} <= said
    assert said.isdisjoint({"GPU503", "GPU510", "GPU512", "GPU517"})


def test_a_stateful_set_numbers_its_ranks() -> None:
    said = codes("StatefulSet")
    assert {"GPU701", "GPU722", "GPU755"} <= said
    assert said.isdisjoint({"GPU503", "GPU510", "GPU517", "GPU754"})


def test_a_server_over_several_pods_is_one_group() -> None:
    said = codes("StatefulSet", SGLANG, 2, image="lmsysorg/sglang:v0.5.9")
    assert "GPU701" in said
    assert said.isdisjoint({"GPU517", "GPU722", "GPU755"})


@pytest.mark.parametrize("command", ["torchrun, --nproc-per-node=8, train.py", "python, serve.py"])
def test_independent_replicas_are_no_ranks(command: str) -> None:
    assert codes("Deployment", command).isdisjoint({"GPU701", "GPU754", "GPU755"})
