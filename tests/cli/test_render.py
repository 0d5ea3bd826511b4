"""Stories of `gpuspec render`."""

import json
from pathlib import Path

import yaml

from tests.cli.conftest import Program


def kinds(text: str) -> list[str]:
    return [document["kind"] for document in yaml.safe_load_all(text)]


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def test_objects_are_data_and_what_is_said_of_them_is_not(gpuspec: Program) -> None:
    done = gpuspec("render", "train.yaml", "-c", "clusters/eu.yaml")
    assert done.code == 0
    assert kinds(done.out) == ["Job"]
    assert done.err.splitlines() == [
        "profile: eu (clusters/eu.yaml)",
        "must exist: Namespace ml",
        "next: pipe it into kubectl apply -f -; "
        "gpuspec explain train.yaml -c clusters/eu.yaml says why",
    ]


def test_json_is_the_same_objects(gpuspec: Program) -> None:
    arguments = ("render", "train.yaml", "-c", "clusters/eu.yaml")
    made = json.loads(gpuspec(*arguments, "--format", "json").out)
    assert made == yaml.safe_load(gpuspec(*arguments).out)


def test_standard_input_may_hold_several_documents(gpuspec: Program, folder: Path) -> None:
    spec = (folder / "train.yaml").read_text()
    both = spec + "---\n" + spec.replace("name: train", "name: other")
    done = gpuspec("render", "-", "-c", "clusters/eu.yaml", "--set", "other:run=second", stdin=both)
    assert done.code == 0
    assert done.err.splitlines()[-1] == "next: pipe it into kubectl apply -f -"
    names = [made["metadata"]["name"] for made in yaml.safe_load_all(done.out)]
    assert names == ["train-first", "other-second"]


def test_problems_of_specs_profiles_and_settings_come_together(
    gpuspec: Program, folder: Path
) -> None:
    spec = (folder / "train.yaml").read_text()
    (folder / "train.yaml").write_text(spec.replace("count: 1", "cuont: 1"))
    (folder / "clusters/eu.yaml").write_text("kind: ClusterProfil\n")
    done = gpuspec("render", "train.yaml", "-c", "clusters/eu.yaml", "-o", "out")
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0] == "train.yaml:9:23: error: unknown field `spec.gpu.cuont`"
    assert lines[1] == "  did you mean `count`?"
    assert any(line.startswith("clusters/eu.yaml:1:") for line in lines)
    assert lines[-1].endswith(" errors")
    assert not (folder / "out").exists()


def test_a_folder_without_specs_is_nothing_rendered(gpuspec: Program) -> None:
    done = gpuspec("render", "clusters")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "error: no gpuspec workload in clusters\n"
        "  a spec begins with apiVersion: gpuspec.dev/v1alpha1; to write one: "
        "gpuspec init inference\n"
    )


def test_a_profile_that_cannot_carry_a_spec_refuses_all(gpuspec: Program, folder: Path) -> None:
    done = gpuspec("render", "train.yaml", "-c", "clusters", "-c", "big.yaml", "-o", "{profile}")
    assert (done.code, done.out) == (1, "")
    first, *reasons, last, _ = done.err.splitlines()
    assert first.endswith("refused: train cannot run on big")
    assert first.startswith("train.yaml:9:")
    assert "big-pool" in reasons[0]
    assert last == "1 of 3 refused, nothing was written"
    assert not (folder / "eu").exists()


def test_a_folder_for_each_profile_with_a_line_for_each(gpuspec: Program, folder: Path) -> None:
    arguments = ("render", "train.yaml", "-c", "clusters/", "-o", "out/{profile}/")
    done = gpuspec(*arguments)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "out/eu/: 1 written",
        "out/us/: 1 written",
        "profile: eu (clusters/eu.yaml); us (clusters/us.yaml)",
        "must exist: Namespace ml",
        "next: apply each folder to its cluster, such as kubectl apply -f out/eu/; "
        "gpuspec explain train.yaml -c clusters/ says why",
        "WORKLOAD  OUTCOME   PROFILES",
        "train     1 object  eu, us",
    ]
    assert sorted(contents(folder / "out")) == [
        "eu/ml.job.train-first.yaml",
        "us/ml.job.train-first.yaml",
    ]
    again = gpuspec(*arguments).err.splitlines()
    assert again[:3] == [
        "out/eu/: 1 unchanged",
        "out/us/: 1 unchanged",
        "WORKLOAD  OUTCOME   PROFILES",
    ]


def test_a_new_run_replaces_what_the_last_one_wrote(gpuspec: Program, folder: Path) -> None:
    arguments = ("render", "train.yaml", "-c", "clusters/eu.yaml", "-o", "out")
    gpuspec(*arguments)
    (folder / "out/mine.txt").write_text("kept")
    done = gpuspec(*arguments, "--set", "train:run=second")
    assert done.code == 0
    first, *_, last = done.err.splitlines()
    assert first == "out/: 1 written, 1 removed"
    assert last == (
        "next: kubectl apply -f out/; "
        "gpuspec explain train.yaml -c clusters/eu.yaml --set train:run=second says why"
    )
    assert sorted(contents(folder / "out")) == ["mine.txt", "ml.job.train-second.yaml"]


def test_what_cannot_be_written_is_wrong_and_nothing_is_written(
    gpuspec: Program, folder: Path
) -> None:
    (folder / "us").write_text("in the way")
    done = gpuspec("render", "train.yaml", "-c", "clusters", "-o", "{profile}")
    assert (done.code, done.out) == (2, "")
    assert "us" in done.err
    assert not (folder / "eu").exists()


def test_a_note_that_profiles_share_is_said_once(gpuspec: Program, folder: Path) -> None:
    (folder / "chat.yaml").write_text(
        (folder / "train.yaml")
        .read_text()
        .replace("kind: Training", "kind: Inference")
        .replace("  command: [python, -m, train]\n", "  runtime: custom\n")
        .replace(
            "  duration: {max: 30m}\n  run: first\n",
            "  replicas: {min: 1, max: 2, signal: queue, target: 5}\n",
        )
        .replace(
            "  runtime: custom\n", "  runtime: vllm\n  model: {id: a/b, revision: c, size: 1Gi}\n"
        )
    )
    done = gpuspec("render", "chat.yaml", "-c", "clusters", "-o", "{profile}")
    assert done.code == 0, done.err
    said = [line for line in done.err.splitlines() if "no autoscaler" in line]
    assert len(said) == 1
    assert said[0].startswith("note: train on eu, train on us: no autoscaler")
