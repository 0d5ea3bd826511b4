"""GPU104, GPU105, GPU106 and GPU738: signs that a pod without a device is meant for one."""

import pytest

from tests.lint.patched import of

POD = """apiVersion: batch/v1
kind: Job
metadata: {name: a, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      FIELDS
      containers:
        - name: main
          image: IMAGE
          command: COMMAND
          resources: {limits: {cpu: "4", memory: 16Gi COUNT}}
"""
NEURONX = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference-neuronx:2.7.0"
PYTORCH = "nvcr.io/nvidia/pytorch:25.08-py3"
PLAIN = "registry.example.com/work:1"


def said(
    code: str, fields: str = "", image: str = PLAIN, command: str = "[run]", count: str = ""
) -> list[str]:
    text = POD.replace("FIELDS", fields).replace("IMAGE", image)
    text = text.replace("COMMAND", command).replace("COUNT", count)
    return [finding.message for finding in of(code, text)]


@pytest.mark.parametrize(
    ("fields", "image", "word"),
    [
        (
            "nodeSelector: {eks.amazonaws.com/instance-family: inf2}",
            NEURONX,
            "built for AWS Neuron",
        ),
        ("nodeSelector: {eks.amazonaws.com/instance-family: inf2}", PLAIN, "restricts the pod"),
        ("nodeSelector: {karpenter.k8s.aws/instance-family: g6}", PLAIN, "restricts the pod"),
        (
            "nodeSelector: {node.kubernetes.io/instance-type: trn1.2xlarge}",
            PLAIN,
            "restricts the pod",
        ),
        ("nodeSelector: {karpenter.k8s.aws/instance-family: m7i}", PLAIN, ""),
    ],
)
def test_a_family_of_machines_with_accelerators(fields: str, image: str, word: str) -> None:
    messages = said("GPU105", fields, image)
    assert [word in message for message in messages] == ([True] if word else [])


@pytest.mark.parametrize(
    ("image", "command", "count"),
    [
        (PYTORCH, "[torchrun, --nproc-per-node=8, train.py]", 1),
        (PYTORCH, "[torchrun, --nproc-per-node=1, train.py]", 0),
        (PYTORCH, "[python, train.py]", 0),
        (PLAIN, "[torchrun, --nproc-per-node=8, train.py]", 0),
    ],
)
def test_several_processes_of_an_image_for_gpus(image: str, command: str, count: int) -> None:
    assert len(said("GPU106", image=image, command=command)) == count


@pytest.mark.parametrize(
    ("fields", "count", "word"),
    [
        ("runtimeClassName: nvidia", ", nvidia.com/gpu: 0", "without the runtime `nvidia`"),
        ("runtimeClassName: gvisor", ", nvidia.com/gpu: 0", "sees no GPU"),
        (
            "nodeSelector: {a: b}\n      runtimeClassName: nvidia",
            ", nvidia.com/gpu: 0",
            "sees no GPU",
        ),
    ],
)
def test_a_runtime_class_with_no_device(fields: str, count: str, word: str) -> None:
    (message,) = said("GPU104", fields, count=count)
    assert word in message
