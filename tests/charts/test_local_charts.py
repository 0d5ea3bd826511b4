"""Releases of charts that are folders of the tree: what these bring along is known by their Chart.yaml."""

from pathlib import Path

import pytest

import gpuspec
from tests.lint.test_apart import Files, lay

CHART = """\
apiVersion: v2
name: server
version: 0.1.0
dependencies:
  - {name: app-template, alias: chat, version: 3.7.3, repository: "https://bjw-s-labs.github.io/helm-charts"}
"""
VALUES = """\
chat:
  controllers:
    main:
      replicas: 2
      containers:
        main:
          image: {repository: ghcr.io/example/server, tag: "1.4"}
          resources: {requests: {nvidia.com/gpu: 1}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: chat, namespace: serving}
spec:
  interval: 10m
  chart: {spec: {chart: ./charts/server, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
  values:
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: chat, namespace: argocd}
spec:
  project: default
  destination: {name: in-cluster, namespace: serving}
  source:
    repoURL: https://git.example.com/platform.git
    path: charts/server
    helm:
      valuesObject:
"""


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


ASKED: dict[str, Files] = {
    "Flux": {"apps/release.yaml": RELEASE + indented(VALUES, 4)},
    "Argo CD": {"apps/app.yaml": APPLICATION + indented(VALUES, 8)},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_a_chart_of_the_tree_brings_along_is_counted_and_linted(
    tmp_path: Path, asked: Files
) -> None:
    path = lay(tmp_path, {"charts/server/Chart.yaml": CHART, **asked})
    ((file, text),) = asked.items()
    (ask,) = gpuspec.table(path).asks
    assert ask.pods is not None and ask.pods.least == 2
    assert ask.each["nvidia.com/gpu"] == 1
    (found,) = gpuspec.lint(path, select=["GPU102"]).findings
    assert found.file == f"{path}/{file}"
    assert "nvidia.com/gpu: 1" in text.splitlines()[found.line - 1]


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_values_of_the_chart_itself_may_be_laid_under(tmp_path: Path, asked: Files) -> None:
    """Then what is written is not all that there is: nothing is counted, and that is said."""
    files = {
        "charts/server/Chart.yaml": CHART,
        "charts/server/values.yaml": "chat: {defaults: 1}\n",
    }
    table = gpuspec.table(lay(tmp_path, {**files, **asked}))
    assert table.asks == ()
    assert any(
        "not counted, because their charts are not fully known" in one for one in table.notes
    )


def test_a_chart_that_is_not_here_is_not_known(tmp_path: Path) -> None:
    assert gpuspec.table(lay(tmp_path, ASKED["Flux"])).asks == ()


def test_a_chart_of_a_repository_of_charts_is_no_folder(tmp_path: Path) -> None:
    release = ASKED["Flux"]["apps/release.yaml"].replace("GitRepository", "HelmRepository")
    files = {"charts/server/Chart.yaml": CHART, "apps/release.yaml": release}
    assert gpuspec.table(lay(tmp_path, files)).asks == ()
