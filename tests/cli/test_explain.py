"""Stories of `gpuspec explain`."""

import json
import re

import pytest

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


def test_one_field_is_explained_however_much_of_its_path_is_typed(gpuspec: Program) -> None:
    whole = gpuspec(*EXPLAIN).out
    for path in ("runAsUser", "securityContext.runAsUser", "template.spec.securityContext"):
        done = gpuspec(*EXPLAIN, "--path", path)
        assert done.code == 0
        assert "runAsUser: " in done.out
        assert "nvidia.com/gpu" not in done.out
        assert set(done.out.splitlines()) <= set(whole.splitlines())
    told = json.loads(gpuspec(*EXPLAIN, "--path", "runAsUser", "--format", "json").out)
    assert {one["path"] for part in told for one in part["decisions"]} == {
        "spec.template.spec.securityContext"
    }


def test_the_image_is_explained_with_the_line_of_the_spec(gpuspec: Program) -> None:
    told = gpuspec(*EXPLAIN, "--path", "image").out
    assert re.search(r"\n +image =\n +ghcr.io/.*\n +# .*\[spec\.image, train\.yaml:7:10\]\n", told)


def test_a_default_names_its_field_and_no_line_of_the_file(gpuspec: Program) -> None:
    told = gpuspec(*EXPLAIN, "--path", "backoffLimit").out
    assert "[default of spec.retries.limit]" in " ".join(told.replace("#", "").split())
    (made,) = json.loads(gpuspec(*EXPLAIN, "--path", "backoffLimit", "--format", "json").out)
    (explanation,) = made["decisions"]
    assert (explanation["origin"], explanation["place"]) == ("spec spec.retries.limit", None)
    written = gpuspec(*EXPLAIN, "--set", "train:retries.limit=1", "--path", "backoffLimit").out
    assert "default of" not in written


def test_a_field_that_is_not_there_is_said_with_the_one_that_was_meant(gpuspec: Program) -> None:
    done = gpuspec(*EXPLAIN, "--path", "spec.securityContxt")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: --path spec.securityContxt: `spec` has no `securityContxt` in the rendered objects\n"
        "  did you mean `securityContext`?\n"
    )


LIMIT = 'spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]'


@pytest.mark.parametrize(
    "path",
    [
        "limits.nvidia.com/gpu",
        "Limits['nvidia.com/gpu']",
        ".spec.template.spec.containers[0].resources.limits.nvidia\\.com/gpu",
        '{.spec.template.spec.containers[?(@.name=="main")].resources.limits.nvidia\\.com/gpu}',
        "$.spec.template.spec.containers[*].resources.limits.nvidia.com/gpu",
        "/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu",
        "containers[name=main].resources.limits.nvidia.com/gpu",
        "containers.main.resources.limits.nvidia.com/gpu",
        "job.spec.template.spec.containers.resources.limits.nvidia.com/gpu",
        "Job/train-first spec.template.spec.containers.resources.limits.nvidia.com/gpu",
    ],
)
def test_a_path_may_be_written_as_other_tools_have_it(gpuspec: Program, path: str) -> None:
    told = json.loads(gpuspec(*EXPLAIN, "--path", path, "--format", "json").out)
    assert [one["path"] for part in told for one in part["decisions"]] == [LIMIT]


def test_a_variable_is_found_by_its_name(gpuspec: Program) -> None:
    done = gpuspec(*EXPLAIN, "--path", "env.HOME")
    assert (done.code, " = " in done.out, "XDG" in done.out) == (0, True, False)


def test_a_mount_is_found_by_its_path(gpuspec: Program) -> None:
    done = gpuspec(*EXPLAIN, "--path", "/tmp")
    assert (done.code, "\n      /tmp = " in done.out, "/home" in done.out) == (0, True, False)


def test_a_field_of_the_spec_tells_what_comes_of_it(gpuspec: Program) -> None:
    told = json.loads(gpuspec(*EXPLAIN, "--path", "duration.max", "--format", "json").out)
    origins = {one["origin"] for part in told for one in part["decisions"]}
    assert origins == {"spec spec.duration.max"}


def test_a_field_that_is_one_of_several_sources_shows_what_differs_without_it(
    gpuspec: Program,
) -> None:
    done = gpuspec(*EXPLAIN, "--set", "train:dataLoaders=4", "--path", "dataLoaders")
    assert (done.code, done.err) == (0, "")
    assert "/dev/shm = " in done.out and "runAsUser" not in done.out
    assert " ".join(done.out.split()).endswith(
        "Notes - these values depend on `spec.dataLoaders` and on other fields: they differ without "
        "it [spec spec.dataLoaders]"
    )


def test_a_required_field_shows_what_depends_on_the_field_that_holds_it(gpuspec: Program) -> None:
    shm = "train:dataset={pvc: images, path: sets/images}"
    done = gpuspec(*EXPLAIN, "--set", shm, "--path", "dataset.pvc")
    assert (done.code, done.err) == (0, "")
    assert "claimName: images" in done.out
    assert "`spec.dataset.pvc` is required: these values depend on `spec.dataset`" in " ".join(
        done.out.split()
    )


def test_a_field_that_says_what_is_assumed_anyway_changes_nothing(gpuspec: Program) -> None:
    done = gpuspec(*EXPLAIN, "--set", "train:dataLoaders=0", "--path", "dataLoaders")
    assert (done.code, done.err) == (0, "")
    assert "\nNotes\n  - every value is the same without `spec.dataLoaders` " in done.out


@pytest.mark.parametrize(
    ("path", "said", "hint"),
    [
        ("resources.limits.cpu", "`resources.limits` has no `cpu` in the rendered objects",
         "its fields are memory, ephemeral-storage, nvidia.com/gpu"),
        ("requests.gpu", "`requests` has no `gpu` in the rendered objects",
         "did you mean `nvidia.com/gpu`?"),
        ("xyzzy", "no such field in the rendered objects", "omit --path to see every field"),
    ],
)  # fmt: skip
def test_what_stands_in_its_place_is_said(
    gpuspec: Program, path: str, said: str, hint: str
) -> None:
    done = gpuspec(*EXPLAIN, "--path", path)
    assert (done.code, done.err) == (2, f"error: --path {path}: {said}\n  {hint}\n")
