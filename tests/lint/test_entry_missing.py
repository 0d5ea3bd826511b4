"""GPU933: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

RELEASE = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: platform, namespace: {namespace}}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: "*", sourceRef: {{kind: HelmRepository, name: nvidia}}}}}}
  values: {values}
"""
LAYOUTS = """---
apiVersion: v1
kind: ConfigMap
metadata: {{name: layouts, namespace: gpu-operator}}
data:
  {key}: |
    version: v1
    mig-configs:
      all-1g.10gb: [{{devices: all, mig-enabled: true, mig-devices: {{"1g.10gb": 7}}}}]
"""
MIG = "{mig: {strategy: single}, migManager: {config: {name: layouts, default: %s}}}"


def said(text: str) -> list[str]:
    return [finding.found.message for finding in raised(text) if finding.rule.code == "GPU933"]


def of(values: str, chart: str = "gpu-operator", namespace: str = "gpu-operator") -> str:
    return RELEASE.format(values=values, chart=chart, namespace=namespace)


def test_the_key_and_the_layout() -> None:
    layouts = LAYOUTS.format(key="config.yaml")
    assert not said(of(MIG % "all-1g.10gb") + layouts)
    (message,) = said(of(MIG % "all-2g.20gb") + layouts)
    assert "has no entry `all-2g.20gb`" in message
    (message,) = said(of(MIG % "all-1g.10gb") + LAYOUTS.format(key="mig.yaml"))
    assert "has no entry `config.yaml`, only `mig.yaml`" in message


def test_another_namespace() -> None:
    (message,) = said(of(MIG % "all-1g.10gb", namespace="gpus") + LAYOUTS.format(key="config.yaml"))
    assert "is in namespace `gpu-operator`" in message


@pytest.mark.parametrize(
    ("values", "is_wrong"),
    [
        ("{config: {default: b, map: {a: 'version: v1'}}}", True),
        ("{config: {default: a, map: {a: 'version: v1'}}}", False),
        ("{config: {map: {a: 'version: v1'}}}", False),
        ("{config: {name: elsewhere, default: b}}", False),
        ("{config: {default: '${DEFAULT}', map: {a: 'version: v1'}}}", False),
    ],
)
def test_data_in_the_values(values: str, is_wrong: bool) -> None:
    assert bool(said(of(values, chart="nvidia-device-plugin"))) is is_wrong


def test_the_helm_controller_of_k3s() -> None:
    text = """
apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: gpu-operator, namespace: kube-system}
spec:
  chart: gpu-operator
  targetNamespace: gpu-operator
  valuesContent: |-
    devicePlugin:
      config: {create: true, name: sharing, default: all, data: {any: "version: v1"}}
"""
    assert len(said(text)) == 1


def test_the_operators_own_object() -> None:
    text = """
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec: {dcgmExporter: {config: {name: layouts}}}
"""
    (message,) = said(text + LAYOUTS.format(key="own.csv"))
    assert "`dcgm-metrics.csv`" in message
