"""GPU022 of Flux's references, where the namespace of an object is written in other files."""

from pathlib import Path

import pytest

import gpuspec

PLUGIN = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: plugin}
spec: {interval: 1h, path: ./apps/kube-system/plugin/app, prune: true, targetNamespace: kube-system}
"""
OLLAMA = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ollama}
spec:
  interval: 1h
  path: ./apps/ai/ollama/app
  prune: true
  targetNamespace: ai
"""
WAITING = OLLAMA + "  dependsOn: [{name: plugin}]\n"
FILES = {
    "apps/kube-system/kustomization.yaml": "namespace: kube-system\nresources: [plugin/ks.yaml]\n",
    "apps/kube-system/plugin/ks.yaml": PLUGIN,
    "apps/ai/kustomization.yaml": "namespace: ai\nresources: [ollama/ks.yaml]\n",
    "apps/ai/ollama/ks.yaml": WAITING,
}
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ollama}
spec: {interval: 1h, chartRef: {kind: OCIRepository, name: chart}}
"""
CHART = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: chart, namespace: other}
spec: {interval: 1h, url: oci://example.com/ollama}
"""


def said(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [one.message for one in gpuspec.lint(str(folder)).findings if one.rule == "GPU022"]


def test_namespaces_come_from_the_kustomizations_above(tmp_path: Path) -> None:
    (message,) = said(tmp_path, FILES)
    assert (
        "`plugin` is in namespace `kube-system`, but the reference points to namespace `ai`"
        in message
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("apps/ai/ollama/ks.yaml", WAITING.replace("plugin}", "plugin, namespace: kube-system}")),
        ("apps/ai/kustomization.yaml", "resources: [ollama/ks.yaml]\n"),
        ("apps/ai/kustomization.yaml", "namespace: ai\nresources: []\n"),
        ("apps/kube-system/kustomization.yaml", "namespace: ai\nresources: [plugin/ks.yaml]\n"),
        ("apps/kube-system/kustomization.yaml", "namespace: kube-system\nresources: []\n"),
    ],
)
def test_where_they_agree_or_are_not_known_nothing_is_said(
    tmp_path: Path, file: str, text: str
) -> None:
    assert not said(tmp_path, FILES | {file: text})


def test_where_a_kustomization_says_another_namespace_nothing_is_said(tmp_path: Path) -> None:
    both = (
        PLUGIN.replace("name: plugin", "name: plugin, namespace: flux-system") + "---\n" + WAITING
    )
    files = {
        "apps/ai/kustomization.yaml": "namespace: ai\nresources: [all/ks.yaml]\n",
        "apps/ai/all/ks.yaml": both,
    }
    assert not said(tmp_path, files)


def test_the_target_of_who_applies_a_file_is_its_namespace(tmp_path: Path) -> None:
    files = FILES | {"apps/ai/ollama/ks.yaml": OLLAMA, "apps/ai/ollama/app/release.yaml": RELEASE}
    assert not said(tmp_path / "one", files | {"apps/ai/ollama/app/chart.yaml": CHART})
    (message,) = said(tmp_path / "two", files | {"charts/chart.yaml": CHART})
    assert "is in namespace `other`, but the reference points to namespace `ai`" in message
