"""Stories of `gpuspec explain`."""

import json
import re

from tests.cli.conftest import Program

EXPLAIN = ("explain", "train.yaml", "-c", "clusters/eu.yaml")


def test_every_value_has_a_reason_and_a_line(gpuspec: Program) -> None:
    done = gpuspec(*EXPLAIN)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Training train on eu\n\nJob train-first\n")
    assert "\n  Container main  spec.template.spec.containers[0]\n" in done.out
    assert "\n    gpuspec.dev/digest = " in done.out.partition("\nProvenance")[2]
    assert re.search(r"\n +# .*\[spec\.gpu\.count, train\.yaml:9:30\]\n", done.out)
    assert max(len(line) for line in done.out.splitlines() if " " in line.strip()) <= 80


def test_json_has_whole_paths(gpuspec: Program) -> None:
    (made,) = json.loads(gpuspec(*EXPLAIN, "--format", "json").out)
    assert (made["workload"], made["profile"]) == ("train", "eu")
    found = {d["path"]: d for d in made["decisions"]}
    gpu = found['spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]']
    assert (gpu["object"], gpu["place"]) == ("Job train-first", "train.yaml:9:30")


def test_several_profiles_are_explained_one_after_the_other(gpuspec: Program) -> None:
    done = gpuspec("explain", "train.yaml", "-c", "clusters")
    titles = [line for line in done.out.splitlines() if line.startswith("Training")]
    assert titles == ["Training train on eu", "Training train on us"]
