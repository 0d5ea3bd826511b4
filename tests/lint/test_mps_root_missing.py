"""GPU424: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SET = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: plugin}
data:
  config.yaml: |
    version: v1
    flags: {migStrategy: none}
    sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec:
      containers:
        - name: plugin
          image: nvcr.io/nvidia/k8s-device-plugin:v0.17.0
          args: [--config-file=/config/config.yaml]
          volumeMounts: [{name: config, mountPath: /config}]
      volumes: [{name: config, configMap: {name: plugin}}]
"""
FLAG = "--config-file=/config/config.yaml"


def said(text: str) -> bool:
    return "GPU424" in [one.rule.code for one in raised(text)]


def test_the_file_may_be_named_by_a_flag() -> None:
    assert said(SET)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{migStrategy: none}", "{migStrategy: none, mpsRoot: /run/nvidia/mps}"),
        ("mps:", "timeSlicing:"),
        (FLAG, f"{FLAG}, --mps-root=/run/nvidia/mps"),
        (FLAG, "--config-file=/elsewhere/config.yaml"),
        ("args: [", "command: [mps-control-daemon, "),
        ("args: [", "command: [gpu-feature-discovery, "),
        ("nvcr.io/nvidia/k8s-device-plugin", "example.com/other"),
        ("volumeMounts:", "envFrom: [{configMapRef: {name: more}}]\n          volumeMounts:"),
        ("volumeMounts:", "env: [{name: MPS_ROOT, value: /mps}]\n          volumeMounts:"),
        ("configMap: {name: plugin}", "configMap: {name: other}"),
    ],
)
def test_what_has_it_or_needs_none(old: str, new: str) -> None:
    assert old in SET
    assert not said(SET.replace(old, new))


def test_the_program_by_its_name() -> None:
    assert said(SET.replace("args: [", "command: [/usr/bin/nvidia-device-plugin, "))
