"""Stories of findings that `gpuspec lint` mends, that are suppressed, or that a baseline knows."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ONE, OVERRIDE, POD, QUIET, Program


def test_safe_fixes_are_made_and_every_other_byte_stays(gpuspec: Program, pod: Path) -> None:
    text = POD.replace("\n", "\r\n").replace("name: main", "name: main  # the one")
    (pod / "k8s/pod.yaml").write_bytes(text.encode())
    done = gpuspec("lint", "k8s", *ONE, "--fix")
    assert (done.code, done.out) == (0, "")
    assert "fixed 1 in 1 file" in done.err
    after = (pod / "k8s/pod.yaml").read_bytes().decode()
    assert after.startswith(text)
    assert gpuspec("lint", "k8s", *ONE).code == 0


def test_unsafe_fixes_are_asked_for(gpuspec: Program, pod: Path) -> None:
    text = POD.replace("gpu: 1}", "gpu: 1}\n        limits: {nvidia.com/gpu: 2}")
    (pod / "k8s/pod.yaml").write_text(text)
    assert gpuspec("lint", "k8s", *ONE, "--fix").code == 1
    assert (pod / "k8s/pod.yaml").read_text() == text
    assert gpuspec("lint", "k8s", *ONE, "--unsafe-fixes").code == 0
    assert (pod / "k8s/pod.yaml").read_text() != text


def test_a_diff_is_data_and_writes_nothing(gpuspec: Program, pod: Path, shell: Program) -> None:
    done = gpuspec("lint", "k8s", *ONE, "--diff")
    assert done.code == 1
    assert done.out.startswith("--- a/k8s/pod.yaml\n+++ b/k8s/pod.yaml\n")
    assert (pod / "k8s/pod.yaml").read_text() == POD
    (pod / "fix.patch").write_text(done.out)
    assert shell("patch -p1 < fix.patch").code == 0
    nothing = gpuspec("lint", "k8s", *ONE, "--diff")
    assert (nothing.code, nothing.out) == (0, "")


@pytest.mark.usefixtures("pod")
def test_standard_input_is_fixed_to_standard_output(gpuspec: Program, pod: Path) -> None:
    done = gpuspec("lint", "-", *ONE, "--fix", stdin=POD)
    assert gpuspec("lint", "k8s", *ONE, "--fix").code == 0
    assert (done.code, done.out) == (0, (pod / "k8s/pod.yaml").read_text())
    assert done.err == "fixed 1 in 1 file\nno findings in 1 document of 1 file\n"
    # Nothing to fix, and what no fix is for: a text that is no manifest comes out as it went in.
    again = gpuspec("lint", "-", *ONE, "--fix", stdin=done.out)
    assert (again.code, again.out) == (0, done.out)
    other = "on: push\r\n"
    assert gpuspec("lint", "-", "--fix", "--allow-empty", stdin=other).out == other


def test_what_is_left_of_standard_input_is_said_beside_its_text(
    gpuspec: Program, folder: Path
) -> None:
    (folder / "pod.yaml").write_text("unchanged")
    words = ("lint", "-", "--fix", "--select", "GPU102,GPU108", "--stdin-filename", "pod.yaml")
    done = gpuspec(*words, "--format", "concise", "--fail-on", "warning", stdin=POD)
    assert done.code == 1
    assert done.out.startswith("apiVersion: v1\n")
    assert "        limits:\n          nvidia.com/gpu: 1\n" in done.out
    assert "\npod.yaml:" in done.err
    assert ": GPU108 warning container" in done.err
    assert (folder / "pod.yaml").read_text() == "unchanged"
    counted = gpuspec(*words, "--statistics", stdin=POD)
    assert "1  warning  GPU108  no-memory\n" in counted.err


@pytest.mark.usefixtures("pod")
def test_standard_input_is_changed_alone(gpuspec: Program) -> None:
    done = gpuspec("lint", "-", "k8s", *ONE, "--fix", stdin=POD)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: changes cannot be made to standard input and other paths in one run\n"
        "  run it once for `-`, which prints the changed text, and once for the files\n"
    )
    diff = gpuspec("lint", "-", *ONE, "--diff", stdin=POD)
    assert diff.out.startswith("--- <stdin>\n")


@pytest.mark.usefixtures("pod")
def test_why_a_fix_is_unsafe_is_said(gpuspec: Program) -> None:
    differs = POD.replace(
        "      resources:", "      resources:\n        limits: {nvidia.com/gpu: 2}"
    )
    (finding,) = json.loads(gpuspec("lint", "-", *ONE, "--format", "json", stdin=differs).out)
    assert finding["fix"]["reason"] == "changes what the container requests"
    shown = gpuspec("lint", "-", *ONE, stdin=differs).out
    assert "= unsafe: changes what the container requests\n" in shown
    (safe,) = json.loads(gpuspec("lint", "-", *ONE, "--format", "json", stdin=POD).out)
    assert (safe["fix"]["safe"], safe["fix"]["reason"]) == (True, None)


def test_a_suppression_needs_a_reason_and_is_counted(gpuspec: Program, pod: Path) -> None:
    said = POD.replace("gpu: 1}", "gpu: 1}  # gpuspec: ignore[GPU102] a test of the API server")
    (pod / "k8s/pod.yaml").write_text(said)
    done = gpuspec("lint", "k8s", *ONE)
    assert (done.code, done.out) == (0, "")
    assert "1 suppressed" in done.err
    (pod / "k8s/pod.yaml").write_text(said.replace(" a test of the API server", ""))
    done = gpuspec("lint", "k8s", "--select", "GPU102,GPU09", "--format", "json")
    assert done.code == 1
    assert [one["rule"] for one in json.loads(done.out)] == ["GPU102", "GPU093"]


def test_generated_manifests_are_suppressed_by_annotation(gpuspec: Program, pod: Path) -> None:
    note = "metadata: {annotations: {gpuspec.dev/ignore: 'GPU102: made by a tool'}, "
    (pod / "k8s/pod.yaml").write_text(POD.replace("metadata: {", note))
    done = gpuspec("lint", "k8s", *ONE)
    assert (done.code, done.out) == (0, "")
    assert "1 suppressed" in done.err


def test_a_spec_is_suppressed_where_it_causes_the_finding(gpuspec: Program, folder: Path) -> None:
    spec = (folder / "train.yaml").read_text()
    comment = "  # gpuspec: ignore-file[GPU102] the cluster's own webhook mends it\n"
    (folder / "train.yaml").write_text(spec + OVERRIDE + comment)
    done = gpuspec("lint", "train.yaml", *ONE)
    assert (done.code, done.out) == (0, "")
    assert "1 suppressed" in done.err
    assert gpuspec("render", "train.yaml").code == 0


def test_a_baseline_lets_only_new_findings_through(gpuspec: Program, pod: Path) -> None:
    known = ("--baseline", "known.json")
    done = gpuspec("lint", "k8s", *ONE, *known, "--write-baseline")
    assert (done.code, done.out, done.err) == (
        0,
        "",
        "known.json: 1 finding written to the baseline\n",
    )
    done = gpuspec("lint", "k8s", *ONE, *known)
    assert (done.code, done.out) == (0, "")
    assert "1 in the baseline" in done.err
    (pod / "k8s/other.yaml").write_text(POD.replace("name: p", "name: q"))
    done = gpuspec("lint", "k8s", *ONE, *known, "--format", "concise")
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["k8s/other.yaml"]
    (pod / "k8s/pod.yaml").write_text(QUIET.replace("name: c", "name: d"))
    assert "note: known.json: " in gpuspec("lint", "k8s", *ONE, *known).err


def test_the_configuration_may_name_the_baseline(gpuspec: Program, pod: Path) -> None:
    wrong = gpuspec("lint", "k8s", "--write-baseline")
    assert wrong.code == 2
    assert "needs the name of a file" in wrong.err
    (pod / ".gpuspec.yaml").write_text("baseline: known.json\n")
    assert gpuspec("lint", "k8s").code == 2, "a baseline that is not there hides nothing"
    assert gpuspec("lint", "k8s", *ONE, "--write-baseline").code == 0
    assert gpuspec("lint", "k8s/pod.yaml", *ONE).code == 0
