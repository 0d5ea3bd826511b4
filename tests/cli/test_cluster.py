"""`gpuspec cluster`: a profile from what kubectl prints, which renders at once."""

from pathlib import Path

from tests.cli.conftest import Program

NODES = Path(__file__).parent.parent / "cluster" / "nodes"


def test_a_discovered_profile_is_good_for_rendering(gpuspec: Program, tmp_path: Path) -> None:
    found = gpuspec("cluster", "discover", str(NODES / "bare-metal.json"), "--name", "eu")
    assert found.code == 0
    assert "metadata: {name: eu}" in found.out
    profile = tmp_path / "eu.yaml"
    profile.write_text(found.out)
    spec = tmp_path / "train.yaml"
    spec.write_text(gpuspec("init", "training").out)
    done = gpuspec("render", str(spec), "-c", str(profile))
    assert done.code == 0
    assert "kind: Job" in done.out


def test_nodes_come_from_standard_input_too(gpuspec: Program) -> None:
    text = (NODES / "gke.json").read_text()
    assert gpuspec("cluster", "discover", "-", stdin=text).out.startswith("# From ")


def test_what_is_no_node_is_refused(gpuspec: Program) -> None:
    done = gpuspec("cluster", "discover", "-", stdin="{}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("<stdin>:1:1: error: ")
