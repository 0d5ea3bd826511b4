"""Files of values that another file says the chart of."""

from pathlib import Path

import pytest

import gpuspec

CHART = """\
apiVersion: v2
name: ui
version: 1.0.0
dependencies:
  - {name: ollama, version: 1.5.0, repository: "https://example.com"}
  - {name: app-template, alias: web, version: 4.1.1, repository: "oci://example.com"}
"""
VALUES = """\
ollama:
  enabled: true
  ollama: {models: [llama3.2]}
web:
  controllers:
    web:
      containers:
        app:
          image: {repository: ghcr.io/example/web, tag: v1}
          resources: {limits: {gpu.nvidia.com: 1, memory: 1Gi}}
other: {deviceIDStrategy: uid}
"""
HELMFILE = """\
releases:
  - name: plugin
    namespace: kube-system
    chart: nvdp/nvidia-device-plugin
    version: 0.17.1
    values:
      - values/plugin.yaml
      - {{ env "MORE" }}
"""
NAMED = """\
releases:
  - name: plugin
    chart: nvdp/nvidia-device-plugin
    values:
      - values/plugin.yaml
"""
INLINE = NAMED + "      - migStrategy: dual\n"
KUSTOMIZATION = """\
helmCharts:
  - name: gpu-operator
    version: v25.3.0
    valuesInline:
      operator: {defaultRuntime: containerd}
  - name: nvidia-device-plugin
    valuesFile: values/plugin.yaml
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: plugin, namespace: argocd}
spec:
  project: ml
  destination: {namespace: kube-system, server: https://kubernetes.default.svc}
  sources:
    - chart: nvidia-device-plugin
      repoURL: https://example.com
      targetRevision: 0.17.1
      helm: {valueFiles: [$own/values/plugin.yaml]}
    - {repoURL: https://example.com/git, targetRevision: main, ref: own}
"""
PLUGIN = "# Which GPU is which.\ndeviceIDStrategy: uid\n"


def lint(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> set[tuple[str, int, str]]:
    """File, line and rule of what is said; `__` in a name stands for a slash."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(folder)
    return {(one.file, one.line, one.rule) for one in gpuspec.lint(".").findings}


def test_values_of_the_charts_that_a_chart_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, Chart=CHART, values=VALUES)
    assert ("values.yaml", 3, "GPU789") in said
    assert ("values.yaml", 10, "GPU103") in said
    assert {rule for _, _, rule in said if rule in ("GPU835", "GPU016")} == set()


@pytest.mark.parametrize(
    "by",
    [
        {"helmfile": HELMFILE.replace('      - {{ env "MORE" }}\n', "")},
        {"kustomization": KUSTOMIZATION},
        {"apps__plugin": APPLICATION},
    ],
    ids=lambda files: next(iter(files)),
)
def test_a_file_is_read_as_whoever_names_it_says(
    by: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, values__plugin=PLUGIN, **by)
    assert ("values/plugin.yaml", 2, "GPU835") in said


def test_values_stand_in_a_helmfile_and_a_kustomization_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, helmfile=INLINE, kustomization=KUSTOMIZATION)
    assert ("helmfile.yaml", 6, "GPU835") in said
    assert ("kustomization.yaml", 5, "GPU789") in said


def test_a_comment_in_the_file_waves_a_finding_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waved = PLUGIN.replace("uid\n", "uid  # gpuspec: ignore[GPU835] a fork\n")
    assert not lint(tmp_path, monkeypatch, values__plugin=waved, helmfile=NAMED)


def test_a_fix_is_offered_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = VALUES.replace("gpu.nvidia.com: 1,", "nvidia.com/gpu: '1.5',")
    assert ("values.yaml", 10, "GPU101") in lint(tmp_path, monkeypatch, Chart=CHART, values=values)
    fixes = {one.rule: one.fix for one in gpuspec.lint(".").findings}
    assert fixes["GPU101"] is not None


@pytest.mark.parametrize(
    "files",
    [
        {"values": PLUGIN},
        {"values__plugin": PLUGIN, "helmfile": HELMFILE},
        {"values__plugin": PLUGIN, "helmfile": "releases: 7\n"},
        {"values__plugin": PLUGIN, "helmfile": INLINE.replace("nvdp/nvidia-device-plugin", "[]")},
        {"Chart": "dependencies: x\n", "values": VALUES},
        {"Chart": CHART, "values": "web: [1]\n"},
        {"Chart": "{{ a }}\n", "values": VALUES},
        {"apps__plugin": APPLICATION.replace("$own/values", "$own/../../etc")},
    ],
)
def test_what_nobody_says_the_chart_of_is_passed(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, **files)
    assert not [one for one in said if "values" in one[0]]


RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec:
  interval: 1h
  chart:
    spec:
      chart: nvidia-device-plugin
      version: 0.17.1
      sourceRef: {kind: HelmRepository, name: nvdp, namespace: flux-system}
  valuesFrom:
    - {kind: ConfigMap, name: plugin-values}
"""
GENERATED = """\
resources: [release.yaml]
configMapGenerator:
  - name: plugin-values
    files: [FILE]
configurations: [names.yaml]
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: plugin-values, namespace: kube-system}
data:
  values.yaml: |
    deviceIDStrategy: uid
"""


@pytest.mark.parametrize(
    ("file", "name"),
    [("values.yaml=./helm-values.yaml", "app__helm-values"), ("values.yaml", "app__values")],
)
def test_a_file_that_kustomize_makes_a_configmap_of_for_flux(
    file: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "app__release": RELEASE,
        "app__kustomization": GENERATED.replace("FILE", file),
        name: PLUGIN,
    }
    said = lint(tmp_path, monkeypatch, **files)
    assert (name.replace("__", "/") + ".yaml", 2, "GPU835") in said


def test_a_configmap_that_flux_takes_values_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, release=RELEASE, config=CONFIG)
    assert ("config.yaml", 6, "GPU835") in said


@pytest.mark.parametrize(
    "files",
    [
        {"release": RELEASE.replace("plugin-values", "other"), "config": CONFIG},
        {
            "release": RELEASE.replace("kind: ConfigMap, name", "kind: Secret, name"),
            "config": CONFIG,
        },
        {"release": RELEASE.replace("values}", "values, targetPath: a}"), "config": CONFIG},
        {"release": RELEASE.replace("values}", "values, valuesKey: b}"), "config": CONFIG},
        {"release": RELEASE, "config": CONFIG.replace("kube-system", "else")},
        {"release": RELEASE, "config": CONFIG.replace("deviceIDStrategy: uid", "[")},
        {
            "app__release": RELEASE,
            "other__kustomization": GENERATED.replace("FILE", "values.yaml"),
            "other__values": PLUGIN,
        },
    ],
)
def test_values_of_another_release(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lint(tmp_path, monkeypatch, **files)
    assert not [one for one in said if one[2] == "GPU835"]


FRACTION = "resources: {limits: {nvidia.com/gpu: 1.5}}\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm, namespace: argocd}
spec:
  source: {path: charts/vllm, repoURL: "https://example.com", helm: {valueFiles: [FILE]}}
"""
HELM_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vllm, namespace: flux-system}
spec:
  chart:
    spec:
      chart: ./charts/vllm
      valuesFiles: [./FILE]
      sourceRef: {kind: GitRepository, name: flux-system}
"""


@pytest.mark.parametrize(
    ("asking", "written", "file"),
    [
        (APPLICATION, "values-prod.yaml", "charts/vllm/values-prod.yaml"),
        (APPLICATION, "../../vals/prod.yaml", "vals/prod.yaml"),
        (HELM_RELEASE, "charts/vllm/values-prod.yaml", "charts/vllm/values-prod.yaml"),
    ],
)
def test_files_for_a_chart_of_the_same_repository(
    tmp_path: Path, asking: str, written: str, file: str
) -> None:
    for name, text in {
        ".git/HEAD": "",
        "apps/vllm.yaml": asking.replace("FILE", written),
        "charts/vllm/Chart.yaml": "apiVersion: v2\nname: vllm\nversion: 0.1.0\n",
        file: FRACTION,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = gpuspec.lint(str(tmp_path), select=["GPU101"]).findings
    assert [one.file for one in found] == [str(tmp_path / file)]
