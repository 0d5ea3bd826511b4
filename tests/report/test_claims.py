"""GPUs of claims are GPUs, to whoever adds up and compares."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import gpuspec

TEMPLATE = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: a}
spec:
  spec:
    devices:
      requests:
"""
POD = """
---
apiVersion: batch/v1
kind: Job
metadata: {name: run, namespace: a}
spec:
  parallelism: 3
  completions: 3
  template:
    spec:
      restartPolicy: Never
      resourceClaims: [{name: gpus, resourceClaimTemplateName: gpus}]
      containers:
      - name: main
        image: example.com/run:1
        resources:
          claims: [{name: gpus}]
          requests: {cpu: 1, memory: 1Gi}
"""
CLASS = """
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: big.example.com}
spec:
  selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]
"""
DOMAIN = """
---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: run, namespace: a}
spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: gpus}}}
"""


def asked(folder: Path, text: str) -> tuple[dict[str, int], bool]:
    """Devices of one pod, and whether some are not counted."""
    (folder / "all.yaml").write_text(text)
    (ask,) = gpuspec.table(str(folder / "all.yaml")).asks
    devices = {name: amount for name, amount in ask.each.items() if "/" in name}
    assert all(isinstance(amount, Fraction) for amount in devices.values())
    return {name: amount.numerator for name, amount in devices.items()}, ask.claims


def exactly(name: str, count: int, expression: str = "true") -> str:
    selector = f"selectors: [{{cel: {{expression: {expression!r}}}}}]"
    return (
        f"      - {{name: gpu, exactly: {{deviceClassName: {name}, count: {count}, {selector}}}}}\n"
    )


@pytest.mark.parametrize(
    ("request_", "resource"),
    [
        (exactly("gpu.nvidia.com", 4), "nvidia.com/gpu"),
        (exactly("gpu.amd.com", 4), "amd.com/gpu"),
        (
            exactly(
                "mig.nvidia.com", 4, 'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"'
            ),
            "nvidia.com/mig-1g.10gb",
        ),
        (exactly("mig.nvidia.com", 4), "deviceclass.resource.kubernetes.io/mig.nvidia.com"),
        ("      - {name: gpu, deviceClassName: gpu.nvidia.com, count: 4}\n", "nvidia.com/gpu"),
        (
            "      - name: gpu\n        firstAvailable:\n"
            "        - {name: a, deviceClassName: gpu.nvidia.com, count: 4}\n"
            "        - {name: b, deviceClassName: gpu.nvidia.com, count: 8}\n",
            "nvidia.com/gpu",
        ),
    ],
)
def test_devices_of_a_template_are_each_pods(tmp_path: Path, request_: str, resource: str) -> None:
    """C-56: by class and profile, in each version of the API; of alternatives the first."""
    assert asked(tmp_path, TEMPLATE + request_ + POD) == ({resource: 4}, False)


def test_a_class_of_ones_own_is_known_by_its_driver(tmp_path: Path) -> None:
    text = TEMPLATE + exactly("big.example.com", 2) + POD
    assert asked(tmp_path, text) == ({}, True)
    assert asked(tmp_path, text + CLASS) == ({"nvidia.com/gpu": 2}, False)
    quoted = CLASS.replace('"', "|").replace("'", '"').replace("|", "'")
    assert asked(tmp_path, text + quoted) == ({"nvidia.com/gpu": 2}, False)
    named = CLASS + "  extendedResourceName: nvidia.com/mig-3g.40gb\n"
    assert asked(tmp_path, text + named) == ({"nvidia.com/mig-3g.40gb": 2}, False)


def test_what_nothing_tells_is_said_to_be_uncounted(tmp_path: Path) -> None:
    """A template that is not here; all of a node."""
    assert asked(tmp_path, POD) == ({}, True)
    all_of = (
        "      - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}\n"
    )
    assert asked(tmp_path, TEMPLATE + all_of + POD) == ({}, True)


def test_administrators_take_no_device(tmp_path: Path) -> None:
    admin = "      - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}\n"
    assert asked(tmp_path, TEMPLATE + admin + POD) == ({}, False)


def test_a_channel_is_no_gpu(tmp_path: Path) -> None:
    assert asked(tmp_path, POD + DOMAIN) == ({}, False)
