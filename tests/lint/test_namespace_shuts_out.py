"""GPU855: charts of the platform in namespaces that enforce a level."""

import pytest

from gpuspec.lint.model import Finding
from gpuspec.products import charts
from tests.lint.pages import raised

NAMESPACE = """---
apiVersion: v1
kind: Namespace
metadata: {{name: platform, labels: {{pod-security.kubernetes.io/enforce: {level}}}}}
"""
FLUX = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: it, namespace: {namespace}}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: "1.0.0", sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
ARGO = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: it, namespace: argocd}
spec:
  project: platform
  destination: {server: https://kubernetes.default.svc, namespace: platform}
  source: {repoURL: https://example.com, chart: dcgm-exporter, targetRevision: 4.5.0}
"""
PRIVILEGED = sorted(name for name, one in charts().charts.items() if one.privileged)


def said(text: str, profile: str | None = None) -> list[Finding]:
    return [found for one in raised(text, profile) if (found := one.finding()).rule == "GPU855"]


def release(chart: str, values: str = "{}", namespace: str = "platform") -> str:
    return FLUX.format(chart=chart, values=values, namespace=namespace)


@pytest.mark.parametrize("chart", PRIVILEGED)
def test_pods_of_the_platform_need_a_namespace_that_lets_them_in(chart: str) -> None:
    (found,) = said(release(chart) + NAMESPACE.format(level="baseline"))
    assert chart in found.message
    assert found.path == 'metadata.labels["pod-security.kubernetes.io/enforce"]'
    assert not said(release(chart) + NAMESPACE.format(level="privileged"))
    assert not said(release(chart))


def test_other_charts_and_other_namespaces_are_left_alone() -> None:
    restricted = NAMESPACE.format(level="restricted")
    assert not said(release("kueue") + restricted)
    assert not said(release("gpu-operator", namespace="elsewhere") + restricted)


def test_an_operator_that_labels_its_namespace_sees_to_it() -> None:
    restricted = NAMESPACE.format(level="restricted")
    assert said(release("gpu-operator", "{psa: {enabled: false}}") + restricted)
    assert not said(release("gpu-operator", "{psa: {enabled: true}}") + restricted)


def test_an_application_has_the_namespace_of_its_destination() -> None:
    (found,) = said(ARGO + NAMESPACE.format(level="restricted"))
    assert "`platform` enforces `restricted`" in found.message


def test_a_profile_says_what_namespaces_enforce() -> None:
    (found,) = said(release("gpu-operator", namespace="research"), "enforcing")
    assert found.path == "metadata.namespace"
