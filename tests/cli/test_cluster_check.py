"""`gpuspec cluster check`: findings on stdout, an answer in the exit code."""

import json
from pathlib import Path

from tests.cli.conftest import Program


def _with(folder: Path, old: str, new: str) -> None:
    profile = folder / "clusters/eu.yaml"
    text = profile.read_text()
    assert old in text
    profile.write_text(text.replace(old, new))


def test_a_sound_profile_is_silent_and_exits_0(gpuspec: Program) -> None:
    done = gpuspec("cluster", "check", "clusters/eu.yaml")
    assert (done.code, done.out, done.err) == (0, "", "eu: nothing found\n")


def test_notes_alone_exit_0(gpuspec: Program, folder: Path) -> None:
    _with(folder, "count: 4", "count: 6")
    done = gpuspec("cluster", "check", "clusters")
    assert done.code == 0
    assert done.out.startswith("clusters/eu.yaml:9:31: note: pool eu-pool: 6 GPUs per node")
    assert done.err == "eu: 1 note\nus: nothing found\n"


def test_a_contradiction_exits_1(gpuspec: Program, folder: Path) -> None:
    _with(folder, "nodes: 6", 'labels: {nvidia.com/gpu.count: "8"}')
    done = gpuspec("cluster", "check", "clusters/eu.yaml", "gke", "--format", "json")
    assert done.code == 1
    assert [(one["check"], one["line"]) for one in json.loads(done.out)] == [("count-label", 11)]
    assert done.err == "eu: 1 error\ngke: nothing found\n"


def test_what_is_no_profile_exits_2_and_nothing_is_printed(gpuspec: Program, folder: Path) -> None:
    _with(folder, "model: T4", "model: T5")
    done = gpuspec("cluster", "check", "clusters")
    assert (done.code, done.out) == (2, "")
    assert "T5" in done.err
    assert gpuspec("cluster", "check").code == 2
