"""`gpuspec cluster render`: the platform's own objects, as a stream or a folder."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Program

ROOT = Path(__file__).parents[2]
BARE_METAL = ROOT / "examples" / "clusters" / "bare-metal.yaml"


def test_the_platform_of_an_example(gpuspec: Program) -> None:
    """C-37, C-38: data on stdout, talk on stderr; the same bytes whenever it is asked."""
    done = gpuspec("cluster", "render", str(BARE_METAL))
    assert done.code == 0
    kinds = {made["kind"] for made in yaml.safe_load_all(done.out)}
    assert {"Namespace", "PriorityClass", "ResourceFlavor", "ClusterQueue", "LocalQueue"} <= kinds
    assert all(line.startswith("note: ") for line in done.err.splitlines())
    assert gpuspec("cluster", "render", str(BARE_METAL)).out == done.out


def test_a_profile_from_standard_input_as_json(gpuspec: Program) -> None:
    done = gpuspec("cluster", "render", "-", "--format", "json", stdin=BARE_METAL.read_text())
    assert json.loads(done.out)["kind"] == "List"


def test_a_folder_is_written_and_kept_in_step(gpuspec: Program, tmp_path: Path) -> None:
    profile = tmp_path / "eu.yaml"
    profile.write_text(BARE_METAL.read_text())
    done = gpuspec("cluster", "render", str(profile), "-o", "platform")
    assert (done.code, done.out) == (0, "")
    folder = tmp_path / "platform"
    assert (folder / "clusterqueue.research.yaml").is_file()
    assert (folder / "research.localqueue.small.yaml").is_file()
    profile.write_text(BARE_METAL.read_text().replace("[bookstore-ml, research]", "[research]"))
    again = gpuspec("cluster", "render", str(profile), "-o", "platform")
    assert "1 removed" in again.err
    assert not (folder / "bookstore-ml.localqueue.small.yaml").exists()
    assert (folder / "research.localqueue.small.yaml").is_file()


def test_a_folder_may_be_called_after_the_profile(gpuspec: Program, tmp_path: Path) -> None:
    done = gpuspec("cluster", "render", str(BARE_METAL), "-o", "platform/{profile}")
    assert done.code == 0
    assert (tmp_path / "platform/bare-metal/clusterqueue.research.yaml").is_file()


def test_workloads_and_platform_may_share_a_folder(gpuspec: Program, tmp_path: Path) -> None:
    """A run removes its own files, and no other's."""
    spec = ROOT / "examples" / "queued-pretrain.yaml"
    for _ in range(2):
        for arguments in (
            ("render", str(spec), "-c", str(BARE_METAL)),
            ("cluster", "render", str(BARE_METAL)),
        ):
            assert gpuspec(*arguments, "-o", "all").code == 0
    names = {path.name for path in (tmp_path / "all").glob("*.yaml")}
    assert {"research.job.queued-pretrain-30b-1.yaml", "clusterqueue.small.yaml"} <= names


def test_nothing_rendered_is_no_success(gpuspec: Program) -> None:
    """An empty answer would have a GitOps host delete what is there."""
    done = gpuspec("cluster", "render", "generic")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: profile generic needs no platform object\n")


def test_a_cluster_has_one_platform(gpuspec: Program, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(
        BARE_METAL.read_text() + "---\n" + BARE_METAL.read_text().replace("bare-metal", "other")
    )
    done = gpuspec("cluster", "render", "two.yaml")
    assert (done.code, done.out) == (2, "")
    assert "two.yaml: 2 profiles (bare-metal, other)" in done.err


def test_what_cannot_be_read_or_written_is_said(gpuspec: Program, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments, said in (
        (("no.yaml",), "no.yaml: no such file, folder or built-in profile"),
        ((str(BARE_METAL), "-o", "file"), "file is not a folder"),
        ((str(BARE_METAL), "-o", ""), "-o: the folder's name is empty"),
        ((str(BARE_METAL), "-o", "plat/{cluster}"), "-o plat/{cluster}: unknown placeholder"),
    ):
        done = gpuspec("cluster", "render", *arguments)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


@pytest.mark.parametrize("more", [(), ("--values",), ("--validation",), ("-o", "platform")])
def test_an_error_of_the_check_stops_it_in_the_same_words(
    gpuspec: Program, folder: Path, more: tuple[str, ...]
) -> None:
    profile = folder / "clusters" / "eu.yaml"
    wrong = profile.read_text().replace("nodes: 6", 'labels: {nvidia.com/gpu.count: "8"}')
    profile.write_text(wrong)
    check = gpuspec("cluster", "check", "clusters/eu.yaml")
    done = gpuspec("cluster", "render", "clusters/eu.yaml", *more)
    assert (done.code, done.out) == (check.code, "") == (1, "")
    assert done.err == check.out + check.err
    assert "error: " in done.err
    assert not (folder / "platform").exists()
