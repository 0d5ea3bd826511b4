"""What is said of a release's values is said of what the real Helm renders of them."""

import subprocess
from pathlib import Path

import pytest

import gpuspec
from tests.charts.written import release
from tests.hosts.programs import program

pytestmark = pytest.mark.binaries

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec:
      nodeSelector: {{ toYaml .Values.nodeSelector | nindent 8 }}
      tolerations: {{ toYaml .Values.tolerations | nindent 8 }}
      containers:
        - name: server
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          resources: {{ toYaml .Values.resources | nindent 12 }}
"""
BASE = """\
image: {repository: ghcr.io/example/server, tag: v1}
nodeSelector: {pool: gpu}
tolerations: [{key: nvidia.com/gpu, operator: Exists}]
resources: {limits: {nvidia.com/gpu: 1, memory: 8Gi}}
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("nvidia.com/gpu: 1,", "nvidia.com/gpu: '0.5',"),
        ("nvidia.com/gpu: 1,", "gpu.nvidia.com: 1,"),
        ("memory: 8Gi", "memory: 8gb"),
        ("pool: gpu", "nvidia.com/gpu.produkt: A100"),
        ("tag: v1", "tag: latest"),
        ("[{key: nvidia.com/gpu, operator: Exists}]", "[{key: a, operator: Is}]"),
    ],
)
@pytest.mark.parametrize("version", ["helm3", "helm4"])
def test_values_and_rendering_are_found_alike(
    tmp_path: Path, version: str, right: str, wrong: str
) -> None:
    values = BASE.replace(right, wrong)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "server.yaml").write_text(TEMPLATE)
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: server, version: 1.0.0}\n")
    (tmp_path / "values.yaml").write_text(values)
    told = subprocess.run(
        [program(version), "template", "studio", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    written = release(values, "chart: {spec: {chart: server}}")
    asked = {one.rule for one in gpuspec.lint_text(written, "release.yaml").findings}
    rendered = {one.rule for one in gpuspec.lint_text(told.stdout, "server.yaml").findings}
    assert asked - _own(release(BASE, "chart: {spec: {chart: server}}"))
    assert asked - _own(release(BASE, "chart: {spec: {chart: server}}")) <= rendered


def _own(text: str) -> set[str]:
    """What is said of it whatever the values are."""
    return {one.rule for one in gpuspec.lint_text(text, "release.yaml").findings}
