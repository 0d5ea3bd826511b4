"""GPU211 without a profile: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec:
  interval: 1h
  chart:
    spec: {chart: nvidia-device-plugin, version: 0.17.4, sourceRef: {kind: HelmRepository, name: nvdp}}
  values: {runtimeClassName: nvidia}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources: {limits: {nvidia.com/gpu: 1}}
"""
OPERATOR = PLUGIN.replace("nvidia-device-plugin", "gpu-operator").replace("name: plugin", "name: o")


def said(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU211"]


def test_the_plugins_class() -> None:
    (message,) = said(PLUGIN + POD)
    assert "runs with `nvidia`" in message


@pytest.mark.parametrize(
    "text",
    [
        POD,
        PLUGIN + POD.replace("spec:", "spec:\n  runtimeClassName: nvidia"),
        PLUGIN + POD.replace("nvidia.com/gpu", "gpu.intel.com/i915"),
        PLUGIN.replace("nvidia}", "nvidia, deviceListStrategy: cdi-cri}") + POD,
        PLUGIN.replace("{runtimeClassName: nvidia}", "{migStrategy: none}") + POD,
        PLUGIN + OPERATOR + POD,
        PLUGIN + PLUGIN.replace("name: plugin", "name: eks").replace(": nvidia}", ": null}") + POD,
    ],
)
def test_no_class_is_needed_or_none_is_known(text: str) -> None:
    assert said(text) == []


NRI = OPERATOR.replace("0.17.4", "v26.3.3").replace(
    "{runtimeClassName: nvidia}", "{cdi: {enabled: true, nriPluginEnabled: true}}"
)
NAMED = POD.replace("spec:", "spec:\n  runtimeClassName: nvidia")
CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
"""


def test_an_operator_that_creates_no_class() -> None:
    (message,) = said(NRI + NAMED)
    assert "no RuntimeClass `nvidia` exists" in message
    policy = NRI.replace("{cdi:", "{other:")
    assert not said(policy + NAMED)
    assert not said(CLASS + NRI + NAMED)
    assert not said(NRI + NAMED.replace("runtimeClassName: nvidia", "runtimeClassName: kata"))
    chart = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\n---\n"
    assert not said(chart + NRI + NAMED)
