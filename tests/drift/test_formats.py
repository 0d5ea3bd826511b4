"""What each format prints of a cluster in which some of everything is otherwise.

After a change that is meant: `GPUSPEC_WRITE_GOLDENS=1 pytest tests/drift/test_formats.py`, and read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpuspec.report.drift import drift_json, drift_markdown, drift_text
from tests.drift.conftest import Cluster, MakeCluster

GOLDENS = Path(__file__).parent / "goldens"
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.36"
  namespaces: [{name: ml, quota: {nvidia.com/gpu: 8}}]
  priorities: {inference: serving}
  pools:
    - name: h100
      gpu: {model: H100-80GB, count: 8}
      allocatable: {cpu: 190, memory: 1900Gi}
      labels: {example.com/pool: h100}
      nodes: 2
"""
SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: train, namespace: ml}
spec:
  image: ghcr.io/example/train:1.0@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [python, -m, train]
  gpu: {models: [H100-80GB], count: 1}
  resources: {cpu: 4, memory: 16Gi}
  duration: {max: 30m}
  run: first
"""


@pytest.fixture
def changed(cluster: MakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A cluster in which some of everything is otherwise."""
    monkeypatch.chdir(tmp_path)
    Path("train.yaml").write_text(SPEC)
    Path("eu.yaml").write_text(PROFILE)
    made = cluster(Path("eu.yaml"), "train.yaml")
    made.dump = Path("dump.json")
    made.one("Node", "h100-1")["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    made.one("Node", "h100-0")["spec"]["unschedulable"] = True
    made.one("ResourceQuota")["spec"]["hard"]["requests.nvidia.com/gpu"] = "16"
    job = made.one("Job")
    job["spec"]["template"]["spec"]["containers"][0]["image"] = "ghcr.io/example/train:1.1"
    made.remove("PriorityClass")
    made.remove("Namespace")
    made.add(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "x"},
            "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 2}}}]},
        },
    )
    return made


FORMATS = {"txt": drift_text, "md": drift_markdown, "json": drift_json}


@pytest.mark.parametrize("format", FORMATS)
def test_formats(changed: Cluster, format: str) -> None:
    text = FORMATS[format](changed.drift())
    golden = GOLDENS / f"changed.{format}"
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_nothing_is_said_in_one_line(cluster: MakeCluster) -> None:
    found = cluster(PROFILE).drift()
    assert drift_text(found) == "no drift; compared: 1 pool, 2 nodes, 3 objects.\n"
    assert drift_markdown(found).startswith("**gpuspec fleet drift**: no drift")
    assert json.loads(drift_json(found))["drifts"] is False


def test_a_terminal_gets_folded_lines(changed: Cluster) -> None:
    text = drift_text(changed.drift(), width=40, color=True)
    assert "\x1b[" in text
