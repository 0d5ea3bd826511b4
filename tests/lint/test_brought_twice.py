"""GPU790: parts that charts of one cluster bring."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.lint.model import Finding
from gpuspec.products import charts
from tests.lint.pages import raised

RELEASE = """---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {name}, namespace: platform}}
spec:
  interval: 1h
  chart: {{spec: {{chart: {chart}, version: "1.0.0", sourceRef: {{kind: HelmRepository, name: n}}}}}}
  values: {values}
"""
DISCOVERY = """---
apiVersion: nfd.openshift.io/v1
kind: NodeFeatureDiscovery
metadata: {name: nfd, namespace: openshift-nfd}
spec: {operand: {servicePort: 12000}}
"""
BESIDE = {
    "node-feature-discovery": "network-operator",
    "nvidia-device-plugin": "nvidia-device-plugin",
    "gpu-feature-discovery": "gpu-feature-discovery",
    "dcgm-exporter": "dcgm-exporter",
}


def said(text: str) -> list[Finding]:
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU790"]


def release(chart: str, values: str = "{}", name: str = "") -> str:
    return RELEASE.format(chart=chart, values=values, name=name or chart)


@pytest.mark.parametrize("part", BESIDE)
def test_the_operator_brings_parts_unless_it_is_told_not_to(part: str) -> None:
    switch = charts().charts["gpu-operator"].brings[part].switch
    key, _, inner = switch.partition(".")
    (found,) = said(release("gpu-operator") + release(BESIDE[part]))
    assert charts().parts[part].title in found.message
    assert not said(
        release("gpu-operator", f"{{{key}: {{{inner}: false}}}}") + release(BESIDE[part])
    )


def test_what_is_off_by_default_has_to_be_turned_on() -> None:
    own = release("sriov-network-operator")
    assert not said(release("network-operator") + own)
    (found,) = said(release("network-operator", "{sriovNetworkOperator: {enabled: true}}") + own)
    assert found.note == "set `sriovNetworkOperator.enabled: false` in chart `network-operator`"


def test_an_object_of_an_operator_brings_its_part_too() -> None:
    (found,) = said(release("gpu-operator") + DISCOVERY)
    assert "NodeFeatureDiscovery `nfd`" in found.message


def test_a_chart_that_stands_there_twice_is_for_several_clusters() -> None:
    both = release("gpu-operator") + release("gpu-operator", name="other")
    assert not said(both + release("network-operator"))


def test_nodes_of_their_own_keep_two_apart() -> None:
    bound = "{nodeSelector: {pool: edge}}"
    assert not said(release("gpu-operator") + release("nvidia-device-plugin", bound))


def test_values_that_others_are_laid_over_tell_what_they_say_alone() -> None:
    over = "  valuesFrom: [{kind: ConfigMap, name: more}]\n"
    assert not said(release("gpu-operator") + over + release("dcgm-exporter"))
    on = "{dcgmExporter: {enabled: true}}"
    assert said(release("gpu-operator", on) + over + release("dcgm-exporter"))


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("apps", "apps", True),
        ("apps/gpu-operator", "apps/network-operator", True),
        ("clusters/berlin", "clusters/oslo", False),
        ("berlin/gpu-operator", "oslo/network-operator", False),
    ],
)
def test_folders_tell_what_is_installed_together(
    first: str, second: str, together: bool, tmp_path: Path
) -> None:
    for folder, chart in ((first, "gpu-operator"), (second, "network-operator")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / f"{chart}.yaml").write_text(release(chart))
    rules = {one.rule for one in gpuspec.lint(str(tmp_path)).findings}
    assert ("GPU790" in rules) is together
