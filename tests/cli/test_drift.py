"""`gpuspec fleet drift` as people run it: exit codes, and what it says of wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.drift.conftest import listed, machines, profile
from tests.drift.test_formats import PROFILE, SPEC


@pytest.fixture
def files(folder: Path) -> Path:
    """`eu.yaml`, and `dump.json` of a cluster that is as it says."""
    (folder / "eu.yaml").write_text(PROFILE)
    of = profile(folder / "eu.yaml", folder)
    (folder / "nodes.json").write_text(listed(machines(of)))
    return folder


def test_exit_codes(gpuspec: Program, files: Path) -> None:
    given = ("fleet", "drift", "-c", "eu.yaml", "--live")
    done = gpuspec(*given, "nodes.json")
    assert (done.code, done.err) == (0, "")
    assert "no drift" in done.out
    assert "not in the dump: ResourceQuota ml/gpuspec" in done.out
    nodes = (files / "nodes.json").read_text()
    done = gpuspec(*given, "-", "--format", "json", stdin=nodes.replace('"True"', '"False"'))
    assert done.code == 1
    assert json.loads(done.out)["drifts"] is True
    done = gpuspec(*given, "nodes.json", "-o", "report.md", "--format", "markdown")
    assert (done.code, done.out) == (0, "")
    assert (files / "report.md").read_text().startswith("**gpuspec fleet drift**")


@pytest.mark.parametrize(
    ("dump", "said"),
    [
        ("", "no Kubernetes object here"),
        ("{", "not one JSON object"),
        ('{"a": 1}', "no Kubernetes object here"),
        ("[1, 2]", "no Kubernetes object here"),
    ],
)
def test_what_is_no_dump(gpuspec: Program, files: Path, dump: str, said: str) -> None:
    (files / "dump.json").write_text(dump)
    done = gpuspec("fleet", "drift", "-c", "eu.yaml", "--live", "dump.json")
    assert (done.code, done.out) == (2, "")
    assert "dump.json" in done.err


def test_without_a_profile_there_is_nothing_to_hold_it_against(
    gpuspec: Program, files: Path
) -> None:
    done = gpuspec("fleet", "drift", "--live", "nodes.json")
    assert (done.code, done.out) == (2, "")
    assert "name the profile of the cluster: -c FILE" in done.err


def test_nothing_that_could_be_looked_for(gpuspec: Program, files: Path) -> None:
    pods = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "x"}}
    done = gpuspec("fleet", "drift", "-c", "eu.yaml", "--live", "-", stdin=listed([pods]))
    assert (done.code, done.out) == (3, "")
    assert "standard input has no object to compare with profile eu" in done.err
    assert "kubectl get nodes,namespace,resourcequota,priorityclass.scheduling.k8s.io" in done.err
    done = gpuspec("fleet", "drift", "-c", "generic", "--live", "nodes.json")
    assert done.code == 3
    assert "the profile has no pools and needs no object" in done.err


def test_a_spec_that_the_profile_cannot_carry_is_wrong_input(gpuspec: Program, files: Path) -> None:
    (files / "train.yaml").write_text(SPEC.replace("H100-80GB", "L4"))
    given = ("fleet", "drift", "train.yaml", "-c", "eu.yaml", "--live", "nodes.json")
    done = gpuspec(*given)
    assert (done.code, done.out) == (2, "")
    assert "`gpu.models` does not list H100-80GB" in done.err


def test_standard_input_is_read_once(gpuspec: Program, files: Path) -> None:
    done = gpuspec("fleet", "drift", "-", "-c", "eu.yaml", "--live", "-", stdin=SPEC)
    assert done.code == 2
    assert "two inputs are standard input" in done.err
