"""GPU870: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: operator, namespace: argocd{more}}}
spec:
  project: platform
  source: {{repoURL: https://example.com/charts, chart: {chart}, targetRevision: {version}{helm}}}
  destination: {{server: https://kubernetes.default.svc, namespace: ray-system}}
"""
SPARED = ", annotations: {argocd.argoproj.io/sync-options: ServerSideApply=true}"


def codes(chart: str, version: str, more: str = "", helm: str = "") -> list[str]:
    text = APPLICATION.format(chart=chart, version=version, more=more, helm=helm)
    return [one.rule.code for one in raised(text)]


@pytest.mark.parametrize(
    ("chart", "version"), [("kueue", "0.14.1"), ("kuberay-operator", "v1.1.1")]
)
def test_an_application_without_options_of_sync_is_told(chart: str, version: str) -> None:
    assert "GPU870" in codes(chart, version)


@pytest.mark.parametrize(
    ("chart", "version", "more", "helm"),
    [
        ("kueue", "0.4.1", "", ""),
        ("kueue", "0.*", "", ""),
        ("gpu-operator", "v25.10.0", "", ""),
        ("kueue", "0.14.1", SPARED, ""),
        ("kueue", "0.14.1", "", ", helm: {skipCrds: true}"),
    ],
)
def test_small_definitions_and_what_applies_them_otherwise(
    chart: str, version: str, more: str, helm: str
) -> None:
    assert "GPU870" not in codes(chart, version, more, helm)
