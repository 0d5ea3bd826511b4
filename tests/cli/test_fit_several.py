"""The story of `gpuspec fit` on several clusters: each report says whose it is, a table ends it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PROFILE, Program, Terminal

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: ml}
spec:
  nodeSelector: {nvidia.com/gpu.product: Tesla-T4}
  containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 4}}}]
"""


@pytest.fixture
def two(folder: Path) -> Path:
    """A pod of 4 GPUs of a T4 node: the nodes of `us` have one each."""
    clusters = folder / "clusters"
    small = PROFILE.format(name="us", model="T4").replace("count: 4", "count: 1")
    (clusters / "us.yaml").write_text(small)
    (folder / "big.yaml").write_text(POD)
    return folder


def test_each_report_begins_with_its_cluster_and_a_table_ends_them(
    gpuspec: Program, two: Path
) -> None:
    done = gpuspec("fit", "big.yaml", "-c", "clusters")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0] == "Cluster eu"
    us = lines.index("Cluster us")
    alone = [gpuspec("fit", "big.yaml", "-c", f"clusters/{name}.yaml").out for name in ("eu", "us")]
    assert "\n".join(lines[2 : us - 1]) + "\n" == alone[0]
    assert "\n".join(lines[us + 2 : -4]) + "\n" == alone[1]
    assert [" ".join(line.split()) for line in lines[-3:]] == [
        "CLUSTER PLACED NOT PLACED QUEUED GPUS FREE",
        "eu 1 0 0 20",
        "us 0 1 0 6",
    ]
    assert not any("Cluster" in out or "CLUSTER" in out for out in alone)


def test_what_can_be_neither_has_a_column_of_its_own(gpuspec: Program, two: Path) -> None:
    (two / "web.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: ml}\n"
        "spec: {containers: [{name: web, image: x}]}\n"
    )
    out = gpuspec("fit", "big.yaml", "web.yaml", "-c", "clusters").out
    assert [" ".join(line.split()) for line in out.splitlines()[-3:]] == [
        "CLUSTER PLACED NOT PLACED QUEUED OTHER GPUS FREE",
        "eu 1 0 0 1 20",
        "us 0 1 0 1 6",
    ]


def test_a_file_each_leaves_the_table_on_stderr(gpuspec: Program, two: Path) -> None:
    done = gpuspec("fit", "big.yaml", "-c", "clusters", "-o", "fit-{profile}.txt")
    assert (done.code, done.out) == (1, "")
    assert [line.split()[0] for line in done.err.splitlines()] == ["CLUSTER", "eu", "us"]
    assert not (two / "fit-eu.txt").read_text().startswith("Cluster")


def test_markdown_and_json_of_several(gpuspec: Program, two: Path) -> None:
    text = gpuspec("fit", "big.yaml", "-c", "clusters", "--format", "markdown").out
    assert text.startswith("| Cluster | Placed | Not placed | Queued | GPUs free |\n")
    assert "\n| us | 0 | 1 | 0 | 6 |\n" in text
    assert text.index("## Cluster eu") < text.index("## Cluster us")
    found = json.loads(gpuspec("fit", "big.yaml", "-c", "clusters", "--format", "json").out)
    assert [one["fleet"] for one in found] == ["eu", "us"]


def test_several_on_a_terminal_of_80_columns(terminal: Terminal, two: Path) -> None:
    shown = terminal("fit", "big.yaml", "-c", "clusters", NO_COLOR="1")
    assert max(map(len, shown.splitlines())) <= 80
    assert "CLUSTER  PLACED  NOT PLACED  QUEUED  GPUS FREE" in shown
