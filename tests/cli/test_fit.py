"""`gpuspec fit` and `gpuspec fleet report`, as people run them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Program, Terminal

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: ml}
spec:
  nodeSelector: {nvidia.com/gpu.product: Tesla-T4}
  containers:
    - name: main
      image: x
      resources: {limits: {nvidia.com/gpu: 8}}
"""
NODES = Path(__file__).parents[1] / "cluster" / "nodes"


def test_a_spec_that_fits(gpuspec: Program) -> None:
    done = gpuspec("fit", "train.yaml", "-c", "clusters/eu.yaml")
    assert (done.code, done.err) == (0, "")
    assert "\nA train-first (Job, ml): placed, 1 of 1 pod\n" in done.out
    assert done.out.rstrip().endswith("5 nodes with all GPUs idle.")


def test_what_is_not_placed_exits_1_with_the_schedulers_words(
    gpuspec: Program, folder: Path
) -> None:
    (folder / "big.yaml").write_text(POD)
    done = gpuspec("fit", "big.yaml", "-c", "clusters/eu.yaml")
    assert done.code == 1
    assert "0/6 nodes are available: 6 Insufficient nvidia.com/gpu." in done.out
    assert "split it into at least 2 pods (big.yaml:9:44)" in done.out


def test_the_providers_admission_adds_tolerations(gpuspec: Program, folder: Path) -> None:
    """GKE and EKS let a pod with a device in; nodes of one's own do not."""
    pod = POD.replace("  nodeSelector: {nvidia.com/gpu.product: Tesla-T4}\n", "")
    (folder / "one.yaml").write_text(pod.replace(": 8", ": 1"))
    clusters = Path(__file__).parents[2] / "examples" / "clusters"
    placed = gpuspec("fit", "one.yaml", "-c", str(clusters / "gke.yaml"))
    assert (placed.code, "placed, 1 of 1 pod" in placed.out) == (0, True)
    kept_off = gpuspec("fit", "one.yaml", "-c", str(clusters / "bare-metal.yaml"))
    assert kept_off.code == 1
    assert "had untolerated taint(s)" in kept_off.out


def test_a_group_with_a_long_name_leaves_the_columns_in_line(
    gpuspec: Program, folder: Path
) -> None:
    profile = folder / "clusters" / "eu.yaml"
    long = "a-pool-whose-name-is-longer-than-its-column"
    pool = f"{{name: {long}, gpu: {{model: T4, count: 4}}, nodes: 5}}"
    text = "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: two}\n"
    other = "{name: t4, gpu: {model: T4, count: 4}, nodes: 5}"
    profile.write_text(f'{text}spec: {{kubernetes: "1.36", pools: [{pool}, {other}]}}\n')
    lines = gpuspec("fleet", "report", "-c", "clusters/eu.yaml").out.splitlines()
    at = lines.index(f"  {long}")
    assert len({len(lines[at - 1]), len(lines[at + 1]), len(lines[at + 2])}) == 1


def test_the_folder_of_a_report_is_made(gpuspec: Program, folder: Path) -> None:
    place = "fit/{profile}.html"
    done = gpuspec("fit", "train.yaml", "-c", "clusters/eu.yaml", "--format", "html", "-o", place)
    assert (done.code, done.err) == (0, "")
    assert [each.suffix for each in (folder / "fit").iterdir()] == [".html"]
    (folder / "taken").write_text("")
    done = gpuspec("fit", "train.yaml", "-c", "clusters/eu.yaml", "-o", "taken/fit.txt")
    assert (done.code, done.err) == (2, "error: taken: File exists\n")


@pytest.mark.parametrize("preset", ["openshift", "aks", "gpu-operator", "gke", "eks-auto"])
def test_a_pool_without_labels_is_labelled_as_the_spec_binds_its_pods(
    gpuspec: Program, folder: Path, preset: str
) -> None:
    """What `render` writes for a cluster, `fit` places on it."""
    pool = "{name: t4, gpu: {model: T4, count: 4}, nodes: 5}"
    profile = "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: plain}\n"
    profile += f'spec: {{kubernetes: "1.33", extends: {preset}, pools: [{pool}]}}\n'
    (folder / "plain.yaml").write_text(profile)
    done = gpuspec("fit", "train.yaml", "-c", "plain.yaml")
    assert (done.code, "placed, 1 of 1 pod" in done.out) == (0, True)


def test_a_chart_is_read_from_a_pipe(gpuspec: Program) -> None:
    done = gpuspec("fit", "-", "-c", "clusters/eu.yaml", stdin=POD.replace(": 8", ": 4"))
    assert done.code == 0
    assert "big (Pod, ml): placed, 1 of 1 pod" in done.out


def test_the_fleet_as_it_runs(gpuspec: Program, folder: Path) -> None:
    live = (NODES / "bare-metal.json").read_text()
    (folder / "pod.yaml").write_text(POD.replace("Tesla-T4", "NVIDIA-H100-80GB-HBM3"))
    done = gpuspec("fit", "pod.yaml", "--live", "-", stdin=live)
    assert done.code == 1
    assert "it does not tolerate their taint nvidia.com/gpu" in done.out.replace("\n", " ")


@pytest.mark.parametrize("command", ["fit train.yaml", "fleet report"])
def test_every_format_says_it(gpuspec: Program, folder: Path, command: str) -> None:
    base = (*command.split(), "-c", "clusters/eu.yaml", "--format")
    assert json.loads(gpuspec(*base, "json").out)
    assert "|" in gpuspec(*base, "markdown").out
    page = gpuspec(*base, "html").out
    assert page.startswith("<!DOCTYPE html>")
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert ElementTree.fromstring(gpuspec(*base, "svg").out).tag.endswith("svg")


def test_a_report_is_written_to_a_file(gpuspec: Program, folder: Path) -> None:
    args = ("fit", "train.yaml", "-c", "clusters/eu.yaml", "--format", "html")
    done = gpuspec(*args, "-o", "fit.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (folder / "fit.html").read_text() == gpuspec(*args).out


def test_without_nodes_it_says_where_to_get_some(gpuspec: Program) -> None:
    done = gpuspec("fit", "train.yaml")
    assert (done.code, done.out) == (2, "")
    assert "profile generic has no pools, so there is no node to place a pod on" in done.err
    assert "use a profile with pools (-c FILE), or the live nodes (--live)" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fit", "trian.yaml", "-c", "clusters/eu.yaml"), "did you mean `train.yaml`?"),
        (("fit", "train.yaml", "--live", "nodse.json"), "nodse.json: no such file or folder"),
        (("fit", "-", "--live", "-"), "standard input, which can be read only once"),
        (
            ("fit", "train.yaml", "-c", "clusters", "--format", "svg"),
            "2 profiles in one report, but a page of --format svg is about one",
        ),
        (("fit", "train.yaml", "-c", "clusters/eu.yaml", "--seeds", "0"), "--seeds"),
        (("fit", "train.yaml", "-c", "clusters/eu.yaml", "--policy", "bestfit"), "best-fit"),
        (("fit", "clusters", "-c", "clusters/eu.yaml"), "no workload in clusters"),
        (("fit", "train.yaml", "--live", "train.yaml"), "no Node here"),
        (("fleet", "report", "-c", "clusters/eu.yaml", "--mix", "big.csv"), "big.csv"),
    ],
)
def test_bad_input_is_answered(gpuspec: Program, arguments: tuple[str, ...], said: str) -> None:
    done = gpuspec(*arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_terminal_of_80_columns(terminal: Terminal) -> None:
    shown = terminal("fit", "train.yaml", "-c", "clusters/eu.yaml", NO_COLOR="1")
    assert "placed, 1 of 1 pod" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    assert "\x1b[" in terminal("fit", "train.yaml", "-c", "clusters/eu.yaml")


def test_the_help_names_the_profile_and_the_live_way(gpuspec: Program) -> None:
    text = gpuspec("fit", "--help").out
    assert "kubectl get nodes,pods -A -o json | gpuspec fit chat.yaml --live -" in text
    assert "fit" in gpuspec("--help").out


def test_what_does_not_count_as_stranded_is_told_where_something_is(
    gpuspec: Program, folder: Path
) -> None:
    """Pods for T4 nodes of one of two pools: the other pool's idle GPUs are no loss."""
    profile = folder / "clusters" / "eu.yaml"
    pool = "    - {name: h100, gpu: {model: H100-80GB, count: 8}, nodes: 2}\n"
    profile.write_text(profile.read_text() + pool)

    def notes(cpu: int) -> int:
        asked = f"nvidia.com/gpu: 1, cpu: {cpu}"
        (folder / "big.yaml").write_text(POD.replace("nvidia.com/gpu: 8", asked))
        out = gpuspec("fit", "big.yaml", "-c", "clusters/eu.yaml").out
        return out.count("no workload here runs on h100: idle GPUs there do not count as stranded")

    assert (notes(cpu=4), notes(cpu=40)) == (0, 1)
