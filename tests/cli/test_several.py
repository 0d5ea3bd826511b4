"""Several clusters: which workload is for which, and what becomes of the rest where one is refused."""

from pathlib import Path

import pytest

from tests.cli.conftest import PROFILE, SPEC, Done, Program

OUT = ("-o", "out/{profile}/")
ALL = ("render", ".", "-c", "clusters", *OUT)
SKIP = (*ALL, "--skip-refused")


def contents(folder: Path) -> dict[str, str]:
    """The files below a folder, records too."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def table(done: Done) -> list[str]:
    """The lines of the table at the end."""
    lines = done.err.splitlines()
    return lines[next(at for at, one in enumerate(lines) if one.startswith("WORKLOAD")) + 1 :]


@pytest.fixture
def specs(folder: Path) -> Path:
    """Two workloads, of which one needs the GPUs of one cluster alone; three clusters, one of a lab."""
    (folder / "big.yaml").unlink()
    (folder / "large.yaml").write_text(SPEC.replace("name: train", "name: large"))
    lab = PROFILE.format(name="lab", model="T4").replace(
        "name: lab\n", "name: lab\n  labels: {env: lab}\n"
    )
    (folder / "clusters/lab.yaml").write_text(lab)
    return folder


def narrow(folder: Path, clusters: str, spec: str = "large") -> None:
    path = folder / f"{spec}.yaml"
    path.write_text(f"{path.read_text()}  clusters: {clusters}\n")


def weaken(folder: Path, cluster: str) -> None:
    """Take from a cluster the GPUs that `large` asks for, and give `train` others."""
    path = folder / f"clusters/{cluster}.yaml"
    path.write_text(PROFILE.format(name=cluster, model="L4"))
    spec = folder / "train.yaml"
    spec.write_text(spec.read_text().replace("models: [T4]", "models: [T4, L4]"))


@pytest.mark.parametrize(
    ("clusters", "there"),
    [
        ("{names: [eu, us]}", ["eu", "us"]),
        ("{labels: {env: lab}}", ["lab"]),
        ("{names: [eu, lab], labels: {env: lab}}", ["lab"]),
        ("{names: [elsewhere]}", []),
    ],
)
def test_a_workload_goes_to_the_clusters_that_it_is_for(
    gpuspec: Program, specs: Path, clusters: str, there: list[str]
) -> None:
    narrow(specs, clusters)
    done = gpuspec(*ALL)
    assert done.code == 0
    made = contents(specs / "out")
    assert [name.split("/")[0] for name in made if "job.large" in name] == there
    assert len([name for name in made if "job.train" in name]) == 3
    others = sorted({"eu", "us", "lab"} - set(there))
    assert f"for other clusters  {', '.join(others)}" in done.err


def test_what_is_not_for_a_cluster_any_more_goes_from_its_folder(
    gpuspec: Program, specs: Path
) -> None:
    assert gpuspec(*ALL).code == 0
    narrow(specs, "{names: [eu]}")
    done = gpuspec(*ALL)
    assert (done.code, "out/us/: 1 unchanged, 1 removed\n" in done.err) == (0, True)


def test_nothing_for_any_of_the_clusters_is_nothing_rendered(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [eu]}")
    done = gpuspec("render", "large.yaml", "-c", "clusters/us.yaml")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "error: no workload is for us: `clusters` of large names other profiles\n"
        "  name the profile of another cluster, or change `clusters` of the spec\n"
    )


def test_without_a_cluster_it_is_rendered_and_said(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [eu]}")
    done = gpuspec("render", "large.yaml")
    assert (done.code, "kind: Job" in done.out) == (0, True)
    assert "note: large: clusters: they do not include profile generic\n" in done.err


def test_a_cluster_of_nearly_the_name_of_a_profile_is_asked_about(
    gpuspec: Program, specs: Path
) -> None:
    narrow(specs, "{names: [labb, eu]}")
    done = gpuspec(*ALL)
    assert done.code == 0
    assert "note: large: no profile is called labb; did you mean lab?\n" in done.err
    assert "no profile is called" not in gpuspec("render", ".", "-c", "clusters/eu.yaml").err


def test_the_linter_asks_about_that_name_at_its_line(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [labb, eu, us-2]}")
    done = gpuspec("lint", "large.yaml", "-c", "clusters", "--format", "concise")
    (line,) = [one for one in done.out.splitlines() if "GPU923" in one]
    assert line.startswith("large.yaml:13:22: GPU923 warning no profile is called `labb`: ")
    whole = gpuspec("lint", "large.yaml", "-c", "clusters", "--select", "GPU923").out
    assert "= note: did you mean `lab`?" in whole
    assert "GPU923" not in gpuspec("lint", "large.yaml", "-c", "clusters/eu.yaml").out


def test_a_single_profile_of_nearly_that_name_is_asked_about(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [labb]}")
    (specs / ".gpuspec.yaml").write_text("profile: clusters/lab.yaml\n")
    said = "`clusters` names others than lab; did you mean lab?"
    assert said in " ".join(gpuspec("lint", "large.yaml").err.split())


def test_a_folder_of_profiles_in_the_configuration_is_told_of(
    gpuspec: Program, specs: Path
) -> None:
    (specs / ".gpuspec.yaml").write_text("profile: clusters\n")
    done = gpuspec("lint", "large.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: .gpuspec.yaml: `profile` names clusters, which has 3 profiles\n"
        "  name the file of one there, or pass all of them: -c clusters\n"
    )
    assert gpuspec("lint", "large.yaml", "-c", "clusters").code == 0


def test_a_name_that_stands_twice_is_wrong(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [eu, eu]}")
    done = gpuspec("render", "large.yaml")
    assert (done.code, "is listed twice" in done.err) == (2, True)


def test_what_could_be_rendered_is_explained_beside_a_refusal(
    gpuspec: Program, specs: Path
) -> None:
    """`render --skip-refused` names this command: it shows the others, and why one is refused."""
    weaken(specs, "us")
    done = gpuspec("explain", *ALL[1:-2])
    assert done.code == 1
    assert "large on eu" in done.out
    assert "large on us" not in done.out
    assert done.err.endswith("`gpu.models` does not list L4\n1 of 6 refused\n")


def test_one_refusal_and_nothing_is_written_unless_it_is_skipped(
    gpuspec: Program, specs: Path
) -> None:
    weaken(specs, "us")
    done = gpuspec(*ALL)
    assert (done.code, (specs / "out").exists()) == (1, False)
    assert done.err.endswith(
        "1 of 6 refused, nothing was written\n"
        "  --skip-refused writes the other workloads, and keeps the files of refused ones\n"
    )
    done = gpuspec(*SKIP)
    assert done.code == 1
    assert "refused: large cannot run on us\n" in done.err
    assert table(done) == [
        "large     1 object  eu, lab",
        "          refused   us",
        "            pool us-pool: `gpu.models` does not list L4",
        "train     1 object  eu, lab, us",
    ]
    assert [name for name in contents(specs / "out") if "job.large" in name] == [
        "eu/ml.job.large-first.yaml",
        "lab/ml.job.large-first.yaml",
    ]


def test_what_an_earlier_run_wrote_of_a_refused_pair_stays_as_it_was(
    gpuspec: Program, specs: Path
) -> None:
    assert gpuspec(*ALL).code == 0
    kept = (specs / "out/us/ml.job.large-first.yaml").read_text()
    weaken(specs, "us")
    done = gpuspec(*SKIP, "--set", "large:run=second", "--set", "train:run=second")
    assert done.code == 1
    assert "out/us/: 1 written, 1 removed, 1 kept from an earlier run\n" in done.err
    assert (
        "note: out/us/: files of refused workloads from an earlier run stay: "
        "ml.job.large-first.yaml\n" in done.err
    )
    assert table(done)[1] == "          refused, 1 kept  us"
    assert [name for name in contents(specs / "out") if "job" in name] == [
        "eu/ml.job.large-second.yaml",
        "eu/ml.job.train-second.yaml",
        "lab/ml.job.large-second.yaml",
        "lab/ml.job.train-second.yaml",
        "us/ml.job.large-first.yaml",
        "us/ml.job.train-second.yaml",
    ]
    assert (specs / "out/us/ml.job.large-first.yaml").read_text() == kept
    before = contents(specs / "out")
    again = gpuspec(*SKIP, "--set", "large:run=second", "--set", "train:run=second")
    assert (again.code, contents(specs / "out")) == (1, before)
    # The record still has it as this run's: what is carried again is replaced and pruned.
    (specs / "clusters/us.yaml").write_text(PROFILE.format(name="us", model="T4"))
    assert gpuspec(*ALL, "--set", "train:run=second").code == 0
    assert "us/ml.job.large-first.yaml" in contents(specs / "out")
    assert gpuspec(*ALL, "--set", "large:run=third").code == 0
    assert "us/ml.job.large-first.yaml" not in contents(specs / "out")


def test_an_edit_of_what_is_refused_is_nobodys_business(gpuspec: Program, specs: Path) -> None:
    assert gpuspec(*ALL).code == 0
    weaken(specs, "us")
    path = specs / "out/us/ml.job.large-first.yaml"
    path.write_text(f"{path.read_text()}# by hand\n")
    edited = path.read_text()
    assert (gpuspec(*SKIP).code, path.read_text()) == (1, edited)


def test_check_does_not_take_what_stays_for_left_over(gpuspec: Program, specs: Path) -> None:
    assert gpuspec(*ALL).code == 0
    weaken(specs, "us")
    gpuspec(*SKIP)
    done = gpuspec(*SKIP, "--check")
    assert (done.code, "left over" in done.err, "differs" in done.err) == (1, False, False)


def test_all_refused_leaves_a_folder_as_it_was_and_makes_none(
    gpuspec: Program, specs: Path
) -> None:
    (specs / "train.yaml").unlink()
    weaken_all = PROFILE.format(name="us", model="L4")
    (specs / "clusters/us.yaml").write_text(weaken_all)
    done = gpuspec(*SKIP)
    assert done.code == 1
    assert sorted(path.name for path in (specs / "out").iterdir()) == ["eu", "lab"]
    assert "out/us" not in done.err


def test_an_old_record_that_tells_no_workloads_loses_nothing(gpuspec: Program, specs: Path) -> None:
    """Of an earlier version's record nobody knows whose a file is: all of them stay."""
    import json

    assert gpuspec(*ALL).code == 0
    for path in specs.glob("out/*/.gpuspec-record"):
        record = json.loads(path.read_text())
        for run in record["runs"]:
            del run["workloads"], run["profile"]
        path.write_text(json.dumps(record))
    weaken(specs, "us")
    done = gpuspec(*SKIP, "--set", "train:run=second")
    assert done.code == 1
    assert "out/us/: 1 written, 2 kept from an earlier run\n" in done.err
    assert "out/eu/: 1 written, 1 unchanged, 1 removed\n" in done.err


def test_what_is_skipped_needs_a_folder(gpuspec: Program, specs: Path) -> None:
    done = gpuspec("render", "train.yaml", "--skip-refused")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --skip-refused keeps earlier output")


def test_output_for_several_is_that_of_each_by_itself(gpuspec: Program, specs: Path) -> None:
    narrow(specs, "{names: [eu, us]}")
    assert gpuspec(*ALL).code == 0
    together = contents(specs / "out")
    for name in ("eu", "us", "lab"):
        one = ("render", ".", "-c", f"clusters/{name}.yaml", "-o", f"alone/{name}")
        assert gpuspec(*one).code == 0
    assert contents(specs / "alone") == together
