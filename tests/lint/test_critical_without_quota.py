"""GPU934: beyond what its page shows."""

from tests.lint.pages import raised

RELEASE = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpu-operator, namespace: {namespace}}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: "*", sourceRef: {{kind: HelmRepository, name: nvidia}}}}}}
  values: {values}
"""
NAMESPACE = """---
apiVersion: v1
kind: Namespace
metadata: {{name: {namespace}}}
"""
QUOTA = """---
apiVersion: v1
kind: ResourceQuota
metadata: {name: critical, namespace: gpus}
spec:
  hard: {pods: "100"}
  scopeSelector:
    matchExpressions: [{operator: In, scopeName: PriorityClass, values: [system-node-critical]}]
"""


def said(text: str, profile: str | None = "autoscaled") -> list[str]:
    return [
        finding.found.message for finding in raised(text, profile) if finding.rule.code == "GPU934"
    ]


def of(chart: str, namespace: str = "gpus", values: str = "{nfd: {enabled: true}}") -> str:
    release = RELEASE.format(chart=chart, namespace=namespace, values=values)
    return release + NAMESPACE.format(namespace=namespace)


def test_charts_with_such_pods() -> None:
    for chart in ("gpu-operator", "dra-driver-nvidia-gpu", "nvidia-device-plugin"):
        assert len(said(of(chart))) == 1, chart
        assert not said(of(chart) + QUOTA)
        assert not said(of(chart, namespace="kube-system"))
    assert not said(of("dcgm-exporter"))
    assert not said(of("nvidia-device-plugin", values="{priorityClassName: own}"))


def test_quotas_of_a_namespace_that_others_make_are_unknown() -> None:
    assert not said(of("gpu-operator").partition("---")[0])


def test_only_where_the_provider_is_known() -> None:
    assert not said(of("gpu-operator"), profile=None)
    assert not said(of("gpu-operator"), profile="h100")
