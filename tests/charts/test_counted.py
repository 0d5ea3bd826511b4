"""Pods of releases in sums: those of charts that are known in full; of others a note."""

from pathlib import Path

import gpuspec
from tests.charts.test_findings import STACK, chart
from tests.charts.written import release

STUDIO = """\
controllers:
  studio:
    replicas: 2
    containers:
      app:
        image: {repository: ghcr.io/example/studio, tag: v1}
        resources: {limits: {nvidia.com/gpu: 1, cpu: 1, memory: 1Gi}}
"""


def test_pods_of_a_chart_that_is_known_in_full_are_counted(tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(release(STUDIO))
    found = gpuspec.table(str(tmp_path))
    assert found.total["nvidia.com/gpu"].least == 2
    (ask,) = found.asks
    assert (ask.object.kind, ask.object.name) == ("Deployment", "studio")
    assert (Path(ask.file).name, ask.line) == ("release.yaml", 10)
    assert not found.notes


def test_of_others_a_note_tells(tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(release(STACK, chart("vllm-stack")))
    found = gpuspec.table(str(tmp_path))
    assert not found.asks
    (note,) = found.notes
    assert "not counted" in note
    assert "`studio`" in note
